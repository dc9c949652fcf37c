import { finishRun, fromCommandLine, measureRun } from "@chainwright/bench-measuring";
import { footprintsOf } from "./footprints.ts";
import { formatReport } from "./report.ts";
import { allRows } from "./rows/all.ts";
import type { Figures, Request } from "./run-row.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const { rows, repeat } = settings;
  const wanted = allRows.filter(({ name }) => rows.length === 0 || rows.some((row) => name.includes(row)));
  const measured = await measureRun<Figures>({
    settings,
    module: new URL("run-row.ts", import.meta.url),
    needs: wanted.flatMap(({ needs }) => needs),
    plan: (servers) => {
      const order = (name: string, measure: Request["measure"]) => ({
        name: `${name}, ${measure}`,
        request: { name, measure, settings, servers } satisfies Request,
      });
      const lifecycles = Array.from({ length: repeat }).flatMap(() =>
        wanted.map(({ name }) => order(name, "lifecycle")),
      );
      const growths = wanted.filter(({ keepsState }) => keepsState).map(({ name }) => order(name, "growth"));
      return settings.measures.flatMap((measure) => (measure === "lifecycle" ? lifecycles : growths));
    },
  });
  const runs = footprintsOf(measured.runs);
  finishRun({ ...measured, runs }, settings, { report: () => formatReport(runs) });
}
