import { parseArgs } from "node:util";
import { wholeNumber, wholeNumbers } from "@chainwright/bench-measuring";

/** What a sweep varies. */
export interface Point {
  /** Waiting jobs that are there before each figure is taken, of a type that no worker handles. */
  readonly backlog: number;
  /** Jobs in each chain. */
  readonly steps: number;
  readonly payloadBytes: number;
  /** Job types that the worker handles. */
  readonly types: number;
  /** Workers in the row's process. */
  readonly workers: number;
}

/** What a run measures, as the command line says. */
export interface Settings {
  readonly rows: readonly string[];
  readonly chains: number;
  readonly concurrency: number;
  readonly repeat: number;
  /** Every combination of what is given in lists. */
  readonly points: readonly Point[];
  readonly durability: "full" | "normal" | "off";
  /** Measures only starts on SQLite, with syncs that take so many milliseconds longer. */
  readonly syncMs: number | undefined;
  /** How long to wait, at most, for a busy host to settle. */
  readonly settleSeconds: number;
  readonly json: string | undefined;
  /** Where to draw the cost of a job against the backlog. */
  readonly plot: string | undefined;
  readonly smoke: boolean;
}

export const help = `Measures how many chains a second each adapter starts and processes, and its floor in the same run.

  pnpm bench:capacity [-- options]

  --rows LIST            rows to measure, by name or part of it: in-process,sqlite/better-sqlite3 (default: all that can be reached)
  --chains N             chains a figure is taken over (5,000)
  --concurrency N        slots of the worker (10)
  --repeat N             runs of each row, interleaved; median, minimum and maximum are shown (1)
  --backlog LIST         waiting jobs that are there already: 1k,10k,100k,1m (0)
  --steps LIST           jobs in a chain (1)
  --payload-bytes LIST   size of each input (20)
  --types LIST           job types that the worker handles (3)
  --workers LIST         workers in the process (1)
  --durability LEVEL     SQLite: full, normal or off (normal; with --sync-ms full)
  --sync-ms N            only starts on SQLite, each sync N ms longer, and how long the event loop is blocked (Linux, cc)
  --settle SECONDS       wait at most this long for a busy host; then measure anyway, and report it (0)
  --json FILE            write everything measured
  --plot FILE            draw the CPU of a job against the backlog, as SVG
  --smoke                a few chains of each row: does the tool still run?
  --help

Servers are taken from POSTGRES_URL, REDIS_URL and NATS_URL, or found on this machine and started for the run.`;

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      rows: { type: "string", default: "" },
      chains: { type: "string" },
      concurrency: { type: "string", default: "10" },
      "payload-bytes": { type: "string", default: "20" },
      repeat: { type: "string", default: "1" },
      backlog: { type: "string", default: "0" },
      steps: { type: "string", default: "1" },
      types: { type: "string", default: "3" },
      workers: { type: "string", default: "1" },
      plot: { type: "string" },
      durability: { type: "string" },
      "sync-ms": { type: "string" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const syncMs = values["sync-ms"] === undefined ? undefined : wholeNumber(values["sync-ms"], "--sync-ms");
  const durability = values.durability ?? (syncMs === undefined ? "normal" : "full");
  if (durability !== "full" && durability !== "normal" && durability !== "off")
    throw new Error(`--durability is full, normal or off, not "${durability}"`);
  return {
    rows: values.rows.split(",").filter((row) => row !== ""),
    chains: wholeNumber(values.chains ?? (values.smoke ? "200" : "5000"), "--chains"),
    concurrency: wholeNumber(values.concurrency, "--concurrency"),
    repeat: wholeNumber(values.repeat, "--repeat"),
    points: everyPoint({
      backlog: wholeNumbers(values.backlog, "--backlog"),
      steps: wholeNumbers(values.steps, "--steps"),
      payloadBytes: wholeNumbers(values["payload-bytes"], "--payload-bytes"),
      types: wholeNumbers(values.types, "--types"),
      workers: wholeNumbers(values.workers, "--workers"),
    }),
    durability,
    syncMs,
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    plot: values.plot,
    smoke: values.smoke,
  };
}

function everyPoint(lists: { readonly [Name in keyof Point]: readonly number[] }): readonly Point[] {
  return lists.backlog.flatMap((backlog) =>
    lists.steps.flatMap((steps) =>
      lists.payloadBytes.flatMap((payloadBytes) =>
        lists.types.flatMap((types) =>
          lists.workers.map((workers) => ({ backlog, steps, payloadBytes, types, workers })),
        ),
      ),
    ),
  );
}
