import { spread } from "@chainwright/bench-measuring";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import type { RowFigures } from "./measure-row.ts";

/** CPU of a value job, client and server, against the jobs that wait besides: flat is what it should be. */
export async function plotBacklog(runs: readonly RowFigures[]): Promise<string> {
  const groups = Map.groupBy(runs, ({ name, point }) => `${name} ${point.backlog}`);
  const values = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const cost = spread(group.map(({ value }) => value.cpuMicros + (value.serverCpuMicros ?? 0)));
    // A logarithmic axis has no zero.
    return [{ row: first.name, backlog: Math.max(1, first.point.backlog), ...cost }];
  });
  const x = { field: "backlog", type: "quantitative", scale: { type: "log" } } as const;
  const color = { field: "row", type: "nominal", legend: { title: null } } as const;
  const { spec } = compile({
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: "Cost of a value job against the backlog",
    width: 560,
    height: 320,
    data: { values },
    layer: [
      {
        mark: { type: "line", point: true },
        encoding: {
          x: { ...x, axis: { title: "waiting jobs" } },
          y: { field: "median", type: "quantitative", axis: { title: "CPU a job, us (client and server)" } },
          color,
        },
      },
      {
        mark: "rule",
        encoding: { x, y: { field: "min", type: "quantitative" }, y2: { field: "max" }, color },
      },
    ],
  });
  return await new View(parse(spec), { renderer: "none" }).toSVG();
}
