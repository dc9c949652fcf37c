import { parseArgs } from "node:util";

export interface Settings {
  readonly size: "full" | "quick";
  readonly only: readonly string[];
  readonly dirty: boolean;
  readonly settleSeconds: string;
}

export const help = `Runs the benchmark tools one after the other, puts their figures into benchmarks/results, and writes the benchmarks page.

  npm run bench:publish -- [options]

  --quick            small sizes: about 80 minutes on a quiet machine, instead of some hours
  --only LIST        steps by name: peers,scale-out (default: all); the results of the other steps stay as they are
  --settle SECONDS   before each tool wait at most this long for a busy host; then measure anyway, and report it (120)
  --dirty            also if the sources have changes that are in no commit; the page then says so
  --help

Nothing is written to benchmarks/results unless every tool has ended well.`;

/** Reads the command line; undefined: help was asked for. */
export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      settle: { type: "string", default: "120" },
      dirty: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    size: values.quick ? "quick" : "full",
    only: values.only.split(",").filter((name) => name !== ""),
    dirty: values.dirty,
    settleSeconds: values.settle,
  };
}
