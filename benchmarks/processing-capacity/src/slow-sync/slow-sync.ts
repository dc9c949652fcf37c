import { rmSync } from "node:fs";
import { buildSlowSync, finishRun, measureRun } from "@chainwright/bench-measuring";
import { sqliteRows } from "../rows/sqlite.ts";
import type { Settings } from "../settings.ts";
import type { SlowSyncFigures } from "./measure-slow-sync.ts";
import { formatSlowSync } from "./report-slow-sync.ts";
import type { SlowSyncRequest } from "./run-slow-sync.ts";

/** Measures the starts of SQLite where each sync takes `syncMs` longer. */
export async function runSlowSync(settings: Settings, syncMs: number): Promise<void> {
  const { rows, repeat, durability } = settings;
  const wanted = sqliteRows.filter(({ name }) => rows.length === 0 || rows.some((row) => name.includes(row)));
  const { folder, environment } = buildSlowSync(syncMs);
  // For the processes of the rows; this one runs already.
  Object.assign(process.env, environment);
  try {
    const measured = await measureRun<SlowSyncFigures>({
      settings,
      module: new URL("run-slow-sync.ts", import.meta.url),
      needs: [],
      notes: [`Each sync takes ${syncMs} ms longer, by a preloaded library; durability ${durability}.`],
      plan: () =>
        Array.from({ length: repeat }).flatMap(() =>
          wanted.map(({ name }) => ({ name, request: { name, settings } satisfies SlowSyncRequest })),
        ),
    });
    finishRun(measured, settings, { report: () => formatSlowSync(measured.runs) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
