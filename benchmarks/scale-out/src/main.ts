import { fileURLToPath } from "node:url";
import {
  describeHost,
  headOf,
  inChild,
  provideServers,
  settleHost,
  showProgress,
  tailOf,
  writeResults,
} from "@chainwright/bench-measuring";
import type { Cell, CellFigures } from "./measure-cell.ts";
import { formatReport } from "./report.ts";
import { leftOut, rowsFor, type Row } from "./rows.ts";
import type { CellRequest } from "./run-cell.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const cellModule = fileURLToPath(new URL("run-cell.ts", import.meta.url));
const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  await settleHost(settings.settleSeconds, showProgress);
  const host = describeHost();
  console.log(headOf(host));
  const rows = rowsFor(settings);
  for (const line of notesOn(rows, settings)) console.log(line);
  const runs: CellFigures[] = [];
  const failures: string[] = [];
  const provided = await provideServers(
    rows.flatMap(({ contender }) => contender.needs),
    {
      postgres: { max_connections: "2000" },
      // What Postgres does by itself: nothing acknowledged is lost.
      redis: { appendonly: "yes", appendfsync: "always", "maxmemory-policy": "noeviction" },
    },
  );
  try {
    for (const cell of plannedCells(rows, settings)) {
      const name = `${cell.mode}, ${cell.row}, ${cell.processes} processes, ${cell.idle} idle`;
      const request: CellRequest = { cell, settings, servers: provided.servers };
      await inChild<CellFigures>(cellModule, request, (step) => showProgress(`${name}: ${step}`))
        .then((figures) => runs.push(figures))
        .catch((error: unknown) => failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`));
    }
  } finally {
    showProgress("");
    await provided[Symbol.asyncDispose]();
  }
  const { loadAfter, text } = tailOf();
  if (runs.length > 0) console.log(formatReport(runs));
  console.log(text);
  for (const failure of failures) console.error(`not measured: ${failure}`);
  const shown = rows.map(({ name, mode, pace, contender }) => ({ name, mode, pace, settings: contender.settings }));
  writeResults({ host, loadAfter, settings, rows: shown, leftOut, runs, failures });
  if (runs.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
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
