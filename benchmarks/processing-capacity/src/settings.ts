import { parseArgs } from "node:util";
import { wholeNumber, wholeNumbers } from "@chainwright/bench-measuring";

/** What a run measures, as the command line says. */
export interface Settings {
  readonly rows: readonly string[];
  readonly chains: number;
  readonly concurrency: number;
  readonly payloadBytes: number;
  readonly repeat: number;
  /** Waiting jobs that are there before each figure is taken; several make a sweep. */
  readonly backlogs: readonly number[];
  /** Jobs in each chain. */
  readonly steps: number;
  readonly durability: "full" | "normal" | "off";
  /** How long to wait, at most, for a busy host to settle. */
  readonly settleSeconds: number;
  readonly json: string | undefined;
  readonly smoke: boolean;
}

export const help = `Measures how many chains a second each adapter starts and processes, and its floor in the same run.

  pnpm bench:capacity [-- options]

  --rows LIST            rows to measure, by name or part of it: in-process,sqlite/better-sqlite3 (default: all that can be reached)
  --chains N             chains a figure is taken over (5,000)
  --concurrency N        slots of the worker (10)
  --payload-bytes N      size of each input (20)
  --repeat N             runs of each row, interleaved; median, minimum and maximum are shown (1)
  --backlog LIST         waiting jobs that are there already: 1k,10k,100k,1m (0)
  --steps N              jobs in a chain (1)
  --durability LEVEL     SQLite: full, normal or off (normal)
  --settle SECONDS       wait so long, at most, for a busy host; measure all the same after that, and say so (0)
  --json FILE            write everything measured
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
      durability: { type: "string", default: "normal" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { durability } = values;
  if (durability !== "full" && durability !== "normal" && durability !== "off")
    throw new Error(`--durability is full, normal or off, not "${durability}"`);
  return {
    rows: values.rows.split(",").filter((row) => row !== ""),
    chains: wholeNumber(values.chains ?? (values.smoke ? "200" : "5000"), "--chains"),
    concurrency: wholeNumber(values.concurrency, "--concurrency"),
    payloadBytes: wholeNumber(values["payload-bytes"], "--payload-bytes"),
    repeat: wholeNumber(values.repeat, "--repeat"),
    backlogs: wholeNumbers(values.backlog, "--backlog"),
    steps: wholeNumber(values.steps, "--steps"),
    durability,
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    smoke: values.smoke,
  };
}
