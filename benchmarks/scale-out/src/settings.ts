import { parseArgs } from "node:util";
import { wholeNumber, wholeNumbers } from "@chainwright/bench-measuring";
import type { Mode } from "@chainwright/bench-peers";
import { notifyNames, type NotifyName } from "./notify.ts";

const modes: readonly Mode[] = ["value", "atomic"];

/** What a run measures, as the command line says. */
export interface Settings {
  readonly processes: readonly number[];
  readonly modes: readonly Mode[];
  readonly notify: readonly NotifyName[];
  readonly only: readonly string[];
  readonly jobs: { readonly [Name in Mode]: number };
  /** Jobs that each process runs before the measured ones, so that what is measured is compiled code. */
  readonly warmUp: { readonly [Name in Mode]: number };
  /** The first jobs of each process in a drain, whose CPU is not counted: starting a worker takes as much as hundreds of value jobs. */
  readonly lead: { readonly [Name in Mode]: number };
  /** Numbers of idle processes. */
  readonly idle: readonly number[];
  /** Long enough for workers without jobs to have looked and gone to rest. */
  readonly restMs: number;
  readonly concurrency: number;
  readonly samples: number;
  readonly repeat: number;
  /** After so long a drain is cut off and counts what it has done. */
  readonly limitSeconds: number;
  readonly settleSeconds: number;
  readonly json: string | undefined;
  /** Where to draw the CPU of a job against the number of processes. */
  readonly plot: string | undefined;
  readonly smoke: boolean;
}

export const help = `Measures what a job costs as the number of worker processes grows, on Chainwright and on other job queues.

  pnpm bench:scale-out [options]

  --processes LIST   worker processes (1,2,4,8,16,32)
  --mode LIST        value: the handler returns a value; atomic: a transaction for each job (value,atomic)
  --notify LIST      of Chainwright's rows: none,postgres,redis,nats (all four)
  --only LIST        rows by name or part of it: chainwright,graphile-worker (default: all that can be reached)
  --jobs N           jobs that a drain is measured over (160k); a quarter of it in the atomic mode
  --warm-up N        jobs that each process runs before that, not measured (20k); a quarter of it in the atomic mode
  --idle N           measure each row also beside so many processes whose workers have no jobs (0)
  --concurrency N    jobs at a time in each process; rows "as recommended" have their own (10)
  --samples N        jobs started one by one on resting processes, for the latency (200)
  --repeat N         turns, interleaved; median, minimum and maximum are shown (1)
  --limit SECONDS    cut a drain off after so long, and count what it did (120)
  --settle SECONDS   wait so long, at most, for a busy host; measure all the same after that, and say so (0)
  --json FILE        write everything measured
  --plot FILE        draw the CPU of a job against the number of processes, as SVG
  --smoke            a few jobs with 2 processes beside an idle one: does the tool still run?
  --help

Servers are taken from POSTGRES_URL, REDIS_URL and NATS_URL, or found on this machine and started for the run. A Postgres that
is not started by the run needs a max_connections of 11 for each process.`;

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      processes: { type: "string" },
      mode: { type: "string", default: modes.join(",") },
      notify: { type: "string", default: notifyNames.join(",") },
      only: { type: "string", default: "" },
      jobs: { type: "string" },
      "warm-up": { type: "string" },
      idle: { type: "string" },
      concurrency: { type: "string", default: "10" },
      samples: { type: "string" },
      repeat: { type: "string", default: "1" },
      limit: { type: "string", default: "120" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      plot: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { smoke } = values;
  const idle = values.idle === undefined ? 0 : wholeNumber(values.idle, "--idle");
  return {
    processes: wholeNumbers(values.processes ?? (smoke ? "2" : "1,2,4,8,16,32"), "--processes"),
    modes: namesOf(values.mode, modes, "--mode"),
    notify: namesOf(values.notify, notifyNames, "--notify"),
    only: values.only.split(",").filter((name) => name !== ""),
    jobs: quartered(wholeNumber(values.jobs ?? (smoke ? "200" : "160k"), "--jobs")),
    warmUp: quartered(wholeNumber(values["warm-up"] ?? (smoke ? "40" : "20k"), "--warm-up")),
    lead: quartered(smoke ? 20 : 500),
    idle: smoke ? [1] : [...new Set([0, idle])],
    restMs: smoke ? 20 : 500,
    concurrency: wholeNumber(values.concurrency, "--concurrency"),
    samples: wholeNumber(values.samples ?? (smoke ? "3" : "200"), "--samples"),
    repeat: wholeNumber(values.repeat, "--repeat"),
    limitSeconds: wholeNumber(values.limit, "--limit"),
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    plot: values.plot,
    smoke,
  };
}

/** A transaction for each job takes about ten times as long as a value. */
function quartered(value: number): Settings["jobs"] {
  return { value, atomic: Math.ceil(value / 4) };
}

function namesOf<Name extends string>(text: string, known: readonly Name[], option: string): readonly Name[] {
  return text.split(",").map((part) => {
    const name = known.find((one) => one === part.trim());
    if (name === undefined) throw new Error(`${option} must be of ${known.join(", ")}; got "${part}"`);
    return name;
  });
}
