import { writeFileSync } from "node:fs";
import { finishRun, fromCommandLine, measureRun } from "@chainwright/bench-measuring";
import type { Cell, CellFigures } from "./measure-cell.ts";
import { plotGrowth } from "./plot.ts";
import { formatReport } from "./report.ts";
import type { Row } from "./row.ts";
import { leftOut, rowsFor } from "./rows.ts";
import type { CellRequest } from "./run-cell.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const rows = rowsFor(settings);
  const measured = await measureRun<CellFigures>({
    settings,
    module: new URL("run-cell.ts", import.meta.url),
    needs: rows.flatMap(({ contender }) => contender.needs),
    serverSettings: {
      postgres: { max_connections: "2000" },
      // What Postgres does by itself: nothing acknowledged is lost.
      redis: { appendonly: "yes", appendfsync: "always", "maxmemory-policy": "noeviction" },
    },
    notes: notesOn(rows, settings),
    plan: (servers) =>
      plannedCells(rows, settings).map((cell) => ({
        name: `${cell.mode}, ${cell.row}, ${cell.processes} processes, ${cell.idle} idle`,
        request: { cell, settings, servers } satisfies CellRequest,
      })),
  });
  const shown = rows.map(({ name, mode, pace, contender }) => ({ name, mode, pace, settings: contender.settings }));
  finishRun(measured, settings, {
    report: () => formatReport(measured.runs),
    results: { rows: shown, leftOut },
  });
  if (settings.plot !== undefined) writeFileSync(settings.plot, await plotGrowth(measured.runs));
}

function notesOn(rows: readonly Row[], { modes, only, concurrency }: Settings): readonly string[] {
  const set = rows.map(({ name, mode, pace, contender }) =>
    pace === "recommended"
      ? `${name}, ${mode}: ${contender.settings.recommended}`
      : `${name}, ${mode}: ${contender.settings.plain}, concurrency ${concurrency}`,
  );
  const missing = leftOut
    .filter(({ name, mode }) => modes.includes(mode) && (only.length === 0 || only.some((part) => name.includes(part))))
    .map(({ name, mode, reason }) => `left out: ${name}, ${mode}: ${reason}`);
  return [...set, ...missing];
}

/** Repeats are interleaved: what else the machine does then falls on all rows alike. */
function plannedCells(rows: readonly Row[], { processes, idle, repeat }: Settings): readonly Cell[] {
  return Array.from({ length: repeat }).flatMap(() =>
    processes.flatMap((count) =>
      rows.flatMap(({ name, mode }) =>
        idle.map((idleCount) => ({ row: name, mode, processes: count, idle: idleCount })),
      ),
    ),
  );
}
