import { spread } from "@chainwright/bench-measuring";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { cpuOfJob } from "./cpu-of-job.ts";
import type { CellFigures } from "./measure-cell.ts";

/** CPU of a job, client and servers, against the number of worker processes; a panel for each mode. */
export async function plotGrowth(runs: readonly CellFigures[]): Promise<string> {
  const cells = Map.groupBy(
    runs.filter(({ idle }) => idle === 0),
    ({ row, mode, processes }) => `${row} ${mode} ${processes}`,
  );
  const values = [...cells.values()].flatMap((turns) => {
    const [first] = turns;
    if (first === undefined) return [];
    const { row, mode, processes } = first;
    return [{ row, mode, processes, ...spread(turns.map(cpuOfJob)) }];
  });
  const x = { field: "processes", type: "quantitative", scale: { type: "log", base: 2 } } as const;
  const color = {
    field: "row",
    type: "nominal",
    legend: { title: null, orient: "bottom", columns: 2, labelLimit: 0 },
  } as const;
  const { spec } = compile({
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: "CPU of a job against the number of worker processes",
    data: { values },
    facet: { column: { field: "mode", type: "nominal", title: null, sort: ["value", "atomic"] } },
    spec: {
      width: 320,
      height: 320,
      layer: [
        {
          mark: { type: "line", point: true },
          encoding: {
            x: { ...x, axis: { title: "worker processes" } },
            y: { field: "median", type: "quantitative", axis: { title: "CPU a job, us (client and servers)" } },
            color,
          },
        },
        {
          mark: "rule",
          encoding: {
            x,
            y: { field: "min", type: "quantitative" },
            y2: { field: "max" },
            color,
          },
        },
      ],
    },
    resolve: { scale: { y: "independent" } },
  });
  return await new View(parse(spec), { renderer: "none" }).toSVG();
}
