import { parseArgs } from "node:util";
import { wholeNumber } from "@chainwright/bench-measuring";

const measures = ["lifecycle", "growth"] as const;

/** A lifecycle, or what many jobs leave behind. */
export type Measure = (typeof measures)[number];

/** What a run weighs, as the command line says. */
export interface Settings {
  readonly rows: readonly string[];
  readonly measures: readonly Measure[];
  /** Jobs of a lifecycle. */
  readonly jobs: number;
  readonly concurrency: number;
  readonly warmUps: number;
  readonly repeat: number;
  readonly waiting: number;
  readonly processed: number;
  readonly settleSeconds: number;
  readonly json: string | undefined;
  readonly smoke: boolean;
}

export const help = `Weighs what each adapter holds in memory: set up, in flight, after it was closed, and as work goes by.

  pnpm bench:memory [options]

  --rows LIST       rows to weigh, by name or part of it: postgres/pg,redis (default: all that can be reached)
  --measure LIST    lifecycle: what is held; growth: what waiting and processed jobs leave (both)
  --jobs N          jobs of a lifecycle (100)
  --concurrency N   slots of its worker (10)
  --warm-ups N      lifecycles that are run and discarded first (3)
  --repeat N        processes for each row, interleaved; median, minimum and maximum are shown (3)
  --waiting N       waiting jobs to weigh (100k)
  --processed N     jobs to process while the heap is watched, for state adapters (1m); 10m takes ten times as long
  --settle SECONDS  wait at most this long for a busy host; then weigh anyway, and report it (0)
  --json FILE       write everything weighed
  --smoke           one short run of some rows: does the tool still run?
  --help

Servers are taken from POSTGRES_URL, REDIS_URL and NATS_URL, or found on this machine and started for the run.`;

/** One of each kind: a snapshot takes half a second. */
const smokeRows = "in-process,sqlite/better-sqlite3,postgres/pg,notify redis/redis,otel";

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      rows: { type: "string" },
      measure: { type: "string", default: measures.join(",") },
      jobs: { type: "string", default: "100" },
      concurrency: { type: "string", default: "10" },
      "warm-ups": { type: "string" },
      repeat: { type: "string" },
      waiting: { type: "string" },
      processed: { type: "string" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { smoke } = values;
  return {
    rows: (values.rows ?? (smoke ? smokeRows : "")).split(",").filter((row) => row !== ""),
    measures: measuresIn(values.measure),
    jobs: wholeNumber(values.jobs, "--jobs"),
    concurrency: wholeNumber(values.concurrency, "--concurrency"),
    warmUps: wholeNumber(values["warm-ups"] ?? (smoke ? "0" : "3"), "--warm-ups"),
    repeat: wholeNumber(values.repeat ?? (smoke ? "1" : "3"), "--repeat"),
    waiting: wholeNumber(values.waiting ?? (smoke ? "1k" : "100k"), "--waiting"),
    processed: wholeNumber(values.processed ?? (smoke ? "1k" : "1m"), "--processed"),
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    smoke,
  };
}

function measuresIn(list: string): readonly Measure[] {
  return list.split(",").map((part) => {
    const known = measures.find((one) => one === part.trim());
    if (known === undefined) throw new Error(`--measure must be of ${measures.join(", ")}; got "${part}"`);
    return known;
  });
}
