import { rmSync } from "node:fs";
import {
  describeHost,
  headOf,
  inChild,
  settleHost,
  showProgress,
  tailOf,
  writeResults,
} from "@chainwright/bench-measuring";
import { sqliteRows } from "../rows/sqlite.ts";
import type { Settings } from "../settings.ts";
import { buildShim } from "./build-shim.ts";
import type { SlowSyncFigures } from "./measure-slow-sync.ts";
import { formatSlowSync } from "./report-slow-sync.ts";

const module = new URL("run-slow-sync.ts", import.meta.url);

/** Measures the starts of SQLite where each sync takes at least `syncMs`. */
export async function runSlowSync(settings: Settings, syncMs: number): Promise<void> {
  const rows = sqliteRows.filter(
    ({ name }) => settings.rows.length === 0 || settings.rows.some((row) => name.includes(row)),
  );
  const { folder, environment } = buildShim(syncMs);
  // For the processes of the rows; this one has started without it.
  Object.assign(process.env, environment);
  try {
    await settleHost(settings.settleSeconds, showProgress);
    const host = describeHost();
    console.log(headOf(host));
    console.log(`Each sync takes ${syncMs} ms longer, by a preloaded library; durability ${settings.durability}.`);
    const runs: SlowSyncFigures[] = [];
    for (let round = 0; round < settings.repeat; round += 1) {
      for (const { name } of rows) {
        const progress = (step: string) => showProgress(`${name}: ${step}`);
        runs.push(await inChild<SlowSyncFigures>(module, { name, settings }, progress));
      }
    }
    showProgress("");
    const { loadAfter, text } = tailOf();
    console.log(formatSlowSync(runs));
    console.log(text);
    writeResults({ host, loadAfter, settings, runs });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
