import { finishRun, fromCommandLine, measureRun } from "@chainwright/bench-measuring";
import { formatReport } from "./report.ts";
import type { Request } from "./run-row.ts";
import { allScenarios } from "./scenarios/all.ts";
import { help, readSettings, type Settings } from "./settings.ts";
import type { ScenarioFigures } from "./table.ts";

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const { repeat } = settings;
  const scenarios = allScenarios.filter(({ name }) => isMeant(name, settings.scenarios));
  const rows = scenarios.flatMap(({ name: scenario, rows: ofScenario }) =>
    ofScenario.filter(({ name }) => isMeant(name, settings.rows)).map((row) => ({ scenario, row })),
  );
  const measured = await measureRun<ScenarioFigures>({
    settings,
    module: new URL("run-row.ts", import.meta.url),
    needs: rows.flatMap(({ row }) => row.needs),
    // Repeats are interleaved: what else the machine does then falls on all rows alike.
    plan: (servers) =>
      Array.from({ length: repeat }).flatMap(() =>
        rows.map(({ scenario, row: { name } }) => ({
          name: `${scenario}, ${name}`,
          request: { scenario, row: name, settings, servers } satisfies Request,
        })),
      ),
  });
  const shown = scenarios.map(({ name, title, note, columns, base }) => ({ name, title, note, columns, base }));
  finishRun(measured, settings, {
    report: () => formatReport(scenarios, measured.runs),
    results: { scenarios: shown },
  });
}

function isMeant(name: string, parts: readonly string[]): boolean {
  return parts.length === 0 || parts.some((part) => name.includes(part));
}
