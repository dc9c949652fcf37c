import { parseArgs } from "node:util";
import { wholeNumber } from "@chainwright/bench-measuring";

/** What a run measures, as the command line says. */
export interface Settings {
  readonly scenarios: readonly string[];
  readonly rows: readonly string[];
  readonly steadySeconds: number;
  readonly delayedJobs: number;
  readonly delayedSeconds: number;
  /** Schedules that are due at the same time. */
  readonly schedules: number;
  readonly failingJobs: number;
  /** Deduplication keys. */
  readonly keys: number;
  /** The processes that start them, or that share a limit. */
  readonly processes: number;
  /** How long a job takes whose limit several processes share. */
  readonly handlerMs: number;
  /** Jobs of a round under limits, and jobs that wait for a key that is full. */
  readonly limitedJobs: number;
  readonly parkedJobs: number;
  readonly observedJobs: number;
  /** Jobs of a round that are handled in batches. */
  readonly batchedJobs: number;
  /** Jobs that call `once` alone, and as many that call `complete`. */
  readonly notedJobs: number;
  /** Checkpoints that are saved while the job is watched. */
  readonly watchedSaves: number;
  readonly repeat: number;
  readonly settleSeconds: number;
  readonly json: string | undefined;
  readonly smoke: boolean;
}

export const help = `Measures situations of a service on the in-process store, SQLite, and Postgres with its notify adapter.

  pnpm bench:scenarios [options]

  --scenarios LIST   of steady,delayed,schedules,retries,dedup,limits,gate,keyed,observers,batches,notes,watch (all)
  --rows LIST        rows by name or part of it: postgres,sqlite (default: all that can be reached)
  --seconds N        steady: how long 1,000 starts a second last (60)
  --delayed N        delayed: jobs that become due within 10 seconds (5k)
  --schedules N      schedules: how many are due at the same time (10k)
  --failing N        retries: jobs that fail at each of 5 attempts (2k)
  --keys N           dedup: deduplication keys (500)
  --processes N      dedup, gate, keyed: processes, with 10 callers, 25 slots or 20 slots each (4)
  --limited N        limits, gate, keyed: jobs of a round (10k)
  --handler-ms N     gate: how long the handler of a job takes (0)
  --parked N         limits: jobs that wait for the key that is full (100k)
  --observed N       observers: jobs of a round (10k)
  --batched N        batches: jobs of a round (100k)
  --noted N          notes: jobs with once, and as many with complete (500)
  --watched N        watch: checkpoints that are saved (200)
  --repeat N         turns, interleaved; median, minimum and maximum are shown (1)
  --settle SECONDS   wait at most this long for a busy host; then measure anyway, and report it (0)
  --json FILE        write everything measured
  --smoke            a few jobs of each: does the tool still run?
  --help

Postgres is taken from POSTGRES_URL, or found on this machine and started for the run.`;

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      scenarios: { type: "string", default: "" },
      rows: { type: "string" },
      seconds: { type: "string" },
      delayed: { type: "string" },
      schedules: { type: "string" },
      failing: { type: "string" },
      keys: { type: "string" },
      processes: { type: "string" },
      limited: { type: "string" },
      "handler-ms": { type: "string" },
      parked: { type: "string" },
      observed: { type: "string" },
      batched: { type: "string" },
      noted: { type: "string" },
      watched: { type: "string" },
      repeat: { type: "string", default: "1" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { smoke } = values;
  const number = (name: Numbers, full: string, small: string): number =>
    wholeNumber(values[name] ?? (smoke ? small : full), `--${name}`);
  return {
    scenarios: namesIn(values.scenarios),
    rows: namesIn(values.rows ?? ""),
    steadySeconds: number("seconds", "60", "1"),
    delayedJobs: number("delayed", "5k", "50"),
    delayedSeconds: smoke ? 1 : 10,
    schedules: number("schedules", "10k", "50"),
    failingJobs: number("failing", "2k", "20"),
    keys: number("keys", "500", "20"),
    processes: number("processes", "4", "2"),
    limitedJobs: number("limited", "10k", "100"),
    handlerMs: number("handler-ms", "0", "0"),
    parkedJobs: number("parked", "100k", "200"),
    observedJobs: number("observed", "10k", "100"),
    batchedJobs: number("batched", "100k", "600"),
    notedJobs: number("noted", "500", "10"),
    watchedSaves: number("watched", "200", "3"),
    repeat: wholeNumber(values.repeat, "--repeat"),
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    smoke,
  };
}

type Numbers =
  | "seconds"
  | "delayed"
  | "schedules"
  | "failing"
  | "keys"
  | "processes"
  | "limited"
  | "handler-ms"
  | "parked"
  | "observed"
  | "batched"
  | "noted"
  | "watched";

function namesIn(list: string): readonly string[] {
  return list.split(",").filter((name) => name !== "");
}
