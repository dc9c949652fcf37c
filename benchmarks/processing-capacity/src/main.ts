import { writeFileSync } from "node:fs";
import { finishRun, fromCommandLine, measureRun } from "@chainwright/bench-measuring";
import type { RowFigures } from "./measure-row.ts";
import { plotBacklog } from "./plot.ts";
import { formatReport } from "./report.ts";
import { allRows } from "./rows/all.ts";
import type { Request } from "./run-row.ts";
import { help, readSettings, type Settings } from "./settings.ts";
import { runSlowSync } from "./slow-sync/slow-sync.ts";

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else if (asked.syncMs !== undefined) await runSlowSync(asked, asked.syncMs);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const { rows, points, repeat, plot } = settings;
  const wanted = allRows.filter(({ name }) => rows.length === 0 || rows.some((row) => name.includes(row)));
  const measured = await measureRun<RowFigures>({
    settings,
    module: new URL("run-row.ts", import.meta.url),
    needs: wanted.flatMap(({ needs }) => needs),
    // Repeats are interleaved: what else the machine does then falls on all rows alike.
    plan: (servers) =>
      Array.from({ length: repeat }).flatMap(() =>
        points.flatMap((point) =>
          wanted.map(({ name }) => ({ name, request: { name, point, settings, servers } satisfies Request })),
        ),
      ),
  });
  finishRun(measured, settings, { report: () => formatReport(measured.runs) });
  if (plot !== undefined) writeFileSync(plot, await plotBacklog(measured.runs));
}
