import { writeFileSync } from "node:fs";

interface Results {
  readonly settings: { readonly json: string | undefined };
  readonly [part: string]: unknown;
}

/** Writes what a run has measured where `--json` says, without the paths of its machine; nothing unless it says so. */
export function writeResults(results: Results): void {
  const { json: path } = results.settings;
  if (path === undefined) return;
  const settings = { ...results.settings, json: undefined, plot: undefined };
  const options = optionsOf(process.argv.slice(2));
  writeFileSync(path, `${JSON.stringify({ options, ...results, settings }, undefined, 2)}\n`);
}

const paths: ReadonlySet<string> = new Set(["--json", "--plot"]);

/** The command line that can be repeated elsewhere. */
function optionsOf(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => arg !== "--" && !paths.has(arg) && !paths.has(args[index - 1] ?? ""));
}
