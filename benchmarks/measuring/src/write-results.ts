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
  writeFileSync(path, `${JSON.stringify({ ...results, settings }, undefined, 2)}\n`);
}
