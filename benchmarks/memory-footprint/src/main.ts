import { fileURLToPath } from "node:url";
import {
  describeHost,
  headOf,
  inChild,
  provideServers,
  showProgress,
  type Servers,
  writeResults,
} from "@chainwright/bench-measuring";
import type { Growth } from "./growth.ts";
import type { Footprint } from "./lifecycle.ts";
import { formatReport, type RowFootprint } from "./report.ts";
import type { Row } from "./row.ts";
import { allRows } from "./rows/all.ts";
import type { Answer, Request } from "./run-row.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const rowModule = fileURLToPath(new URL("run-row.ts", import.meta.url));
const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const host = describeHost();
  console.log(headOf(host));
  const rows = allRows.filter(
    ({ name }) => settings.rows.length === 0 || settings.rows.some((row) => name.includes(row)),
  );
  const weighed: RowFootprint[] = [];
  const failures: string[] = [];
  const provided = await provideServers(rows.flatMap(({ needs }) => needs));
  try {
    for (const row of rows)
      await weighRow(row, settings, provided.servers)
        .then((figures) => weighed.push(figures))
        .catch((error: unknown) =>
          failures.push(`${row.name}: ${error instanceof Error ? error.message : String(error)}`),
        );
  } finally {
    showProgress("");
    await provided[Symbol.asyncDispose]();
  }
  if (weighed.length > 0) console.log(formatReport(weighed));
  for (const failure of failures) console.error(`not weighed: ${failure}`);
  writeResults({ host, settings, rows: weighed, failures });
  if (weighed.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
}

async function weighRow(row: Row, settings: Settings, servers: Servers): Promise<RowFootprint> {
  const { name, published } = row;
  const ask = (measure: Request["measure"]): Promise<Answer> =>
    inChild<Answer>(rowModule, { name, measure, settings, servers } satisfies Request, (step) =>
      showProgress(`${name}: ${step}`),
    );
  const footprints: Footprint[] = [];
  for (let run = 0; run < settings.repeat; run += 1) {
    const answer = await ask("lifecycle");
    if ("footprint" in answer) footprints.push(answer.footprint);
  }
  let growth: Growth | undefined;
  if (row.keepsState) {
    const answer = await ask("growth");
    if ("growth" in answer) ({ growth } = answer);
  }
  return { name, published, footprints, growth };
}
