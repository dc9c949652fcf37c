import { parseArgs } from "node:util";
import { wholeNumber } from "@chainwright/bench-measuring";

/** What a run measures, as the command line says. */
export interface Settings {
  readonly only: readonly string[];
  readonly jobs: number;
  /** Jobs that go before each figure and are not measured, so that what is measured is compiled code. */
  readonly warmUp: number;
  readonly backlog: number;
  readonly repeat: number;
  /** After so long a figure ends and counts what was done. */
  readonly limitSeconds: number;
  readonly settleSeconds: number;
  readonly json: string | undefined;
  readonly smoke: boolean;
}

export const help = `The same work on other job queues and on Chainwright, turn by turn in one run.

  pnpm bench:peers [options]

  --only LIST        contenders by name or part of it: chainwright/postgres,pg-boss (default: all that can be reached)
  --jobs N           jobs that a figure is taken over (20k)
  --warm-up N        jobs that go before each figure and are not measured, so that its code is compiled (as many)
  --backlog N        jobs that wait besides, for the last figure (100k)
  --repeat N         turns of each contender, interleaved; medians are shown (1)
  --limit SECONDS    end each figure, and each warm-up, after so long, and count what was done (5)
  --settle SECONDS   wait at most this long for a busy host; then measure anyway, and report it (0)
  --json FILE        write everything measured
  --smoke            a few jobs of each: does the tool still run?
  --help

Servers are taken from POSTGRES_URL and REDIS_URL, or found on this machine and started for the run.`;

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      only: { type: "string", default: "" },
      jobs: { type: "string" },
      "warm-up": { type: "string" },
      backlog: { type: "string" },
      repeat: { type: "string", default: "1" },
      limit: { type: "string" },
      settle: { type: "string", default: "0" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { smoke } = values;
  const jobs = wholeNumber(values.jobs ?? (smoke ? "50" : "20k"), "--jobs");
  return {
    only: values.only.split(",").filter((name) => name !== ""),
    jobs,
    warmUp: values["warm-up"] === undefined ? jobs : wholeNumber(values["warm-up"], "--warm-up"),
    backlog: wholeNumber(values.backlog ?? (smoke ? "100" : "100k"), "--backlog"),
    repeat: wholeNumber(values.repeat, "--repeat"),
    limitSeconds: wholeNumber(values.limit ?? (smoke ? "3" : "5"), "--limit"),
    settleSeconds: wholeNumber(values.settle, "--settle"),
    json: values.json,
    smoke,
  };
}
