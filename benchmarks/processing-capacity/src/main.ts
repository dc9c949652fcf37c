import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  describeHost,
  headOf,
  inChild,
  provideServers,
  settleHost,
  showProgress,
  tailOf,
  type Servers,
  writeResults,
} from "@chainwright/bench-measuring";
import type { RowFigures } from "./measure-row.ts";
import { plotBacklog } from "./plot.ts";
import { formatReport } from "./report.ts";
import type { Row } from "./row.ts";
import { allRows } from "./rows/all.ts";
import type { Request } from "./run-row.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const rowModule = fileURLToPath(new URL("run-row.ts", import.meta.url));
const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  await settleHost(settings.settleSeconds, showProgress);
  const host = describeHost();
  console.log(headOf(host));
  const runs: RowFigures[] = [];
  const failures: string[] = [];
  const provided = await provideServers(rowsOf(settings).flatMap(({ needs }) => needs));
  try {
    for (const request of planned(settings, provided.servers)) {
      await inChild<RowFigures>(rowModule, request, (step) => showProgress(`${request.name}: ${step}`))
        .then((figures) => runs.push(figures))
        .catch((error: unknown) =>
          failures.push(`${request.name}: ${error instanceof Error ? error.message : String(error)}`),
        );
    }
  } finally {
    showProgress("");
    await provided[Symbol.asyncDispose]();
  }
  const { loadAfter, text } = tailOf();
  if (runs.length > 0) console.log(formatReport(runs));
  console.log(text);
  for (const failure of failures) console.error(`not measured: ${failure}`);
  writeResults({ host, loadAfter, settings, runs, failures });
  if (settings.plot !== undefined) writeFileSync(settings.plot, await plotBacklog(runs));
  if (runs.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
}

function rowsOf(settings: Settings): readonly Row[] {
  return allRows.filter(({ name }) => settings.rows.length === 0 || settings.rows.some((row) => name.includes(row)));
}

/** Repeats are interleaved: what else the machine does then falls on all rows alike. */
function planned(settings: Settings, servers: Servers): readonly Request[] {
  return Array.from({ length: settings.repeat }).flatMap(() =>
    settings.points.flatMap((point) => rowsOf(settings).map(({ name }) => ({ name, point, settings, servers }))),
  );
}
