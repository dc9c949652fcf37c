import { median } from "@chainwright/bench-measuring";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import type { RowFigures } from "./measure-row.ts";

/** CPU of a value job, client and server, against the jobs that wait besides: flat is what it should be. */
export async function plotBacklog(runs: readonly RowFigures[]): Promise<string> {
  const groups = Map.groupBy(runs, ({ name, point }) => `${name} ${point.backlog}`);
  const values = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const cost = median(group.map(({ value }) => value.cpuMicros + (value.serverCpuMicros ?? 0)));
    // A logarithmic axis has no zero.
    return [{ row: first.name, backlog: Math.max(1, first.point.backlog), cost }];
  });
  const { spec } = compile({
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: "Cost of a value job against the backlog",
    width: 560,
    height: 320,
    data: { values },
    mark: { type: "line", point: true },
    encoding: {
      x: { field: "backlog", type: "quantitative", scale: { type: "log" }, axis: { title: "waiting jobs" } },
      y: { field: "cost", type: "quantitative", axis: { title: "CPU a job, us (client and server)" } },
      color: { field: "row", type: "nominal", legend: { title: null } },
    },
  });
  return await new View(parse(spec), { renderer: "none" }).toSVG();
}
