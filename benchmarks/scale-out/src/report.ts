import { median, shown, spread } from "@chainwright/bench-measuring";
import Table from "cli-table3";
import type { CellFigures } from "./measure-cell.ts";
import { cpuOfJob } from "./cpu-of-job.ts";

type Turns = readonly CellFigures[];

/** One table a mode. The repeats of a cell are one line: median, minimum and maximum. */
export function formatReport(runs: Turns): string {
  return [...Map.groupBy(runs, ({ mode }) => mode)]
    .map(([mode, ofMode]) => {
      const table = new Table({
        head: [
          mode,
          "processes",
          "idle",
          "jobs a second",
          "client, us CPU a job",
          "server, us CPU a job",
          "CPU x fewest",
          "shares, % of even",
          "latency p50, p99 ms",
        ],
        style: { head: [], border: [] },
      });
      for (const row of Map.groupBy(ofMode, (run) => run.row).values()) {
        const cells = [...Map.groupBy(row, cellKey).values()].sort(bySize);
        for (const cell of cells) table.push(lineOf(cell, cells[0] ?? []));
      }
      return table.toString();
    })
    .join("\n");
}

function cellKey({ processes, idle }: CellFigures): string {
  return `${processes} ${idle}`;
}

/** The first is what the others of its row are compared with: no idle processes, and the fewest worker processes. */
function bySize([a]: Turns, [b]: Turns): number {
  return (a?.idle ?? 0) - (b?.idle ?? 0) || (a?.processes ?? 0) - (b?.processes ?? 0);
}

function lineOf(turns: Turns, base: Turns): string[] {
  const [first] = turns;
  const rate = shown(spread(turns.map(({ perSecond }) => perSecond)));
  return [
    first?.row ?? "",
    String(first?.processes ?? ""),
    String(first?.idle ?? ""),
    turns.some(({ latency }) => latency === undefined) ? `${rate}, cut off` : rate,
    clientText(turns),
    serverText(turns),
    growthOf(turns, base).toFixed(2),
    sharesText(turns),
    latencyText(turns),
  ];
}

/** How many times the CPU of the base a job takes, client and servers together. */
function growthOf(turns: Turns, base: Turns): number {
  return median(turns.map(cpuOfJob)) / median(base.map(cpuOfJob));
}

/** With the part of the idle processes. */
function clientText(turns: Turns): string {
  const all = shown(spread(turns.map(({ clientCpuMicros }) => clientCpuMicros)));
  if (turns[0]?.idle === 0) return all;
  return `${all}\nidle ${shown(spread(turns.map(({ idleCpuMicros }) => idleCpuMicros)))}`;
}

function serverText(turns: Turns): string {
  const names = Object.keys(turns[0]?.serverCpuMicros ?? {}) as (keyof CellFigures["serverCpuMicros"])[];
  return names
    .map((name) => `${name} ${shown(spread(turns.flatMap(({ serverCpuMicros }) => serverCpuMicros[name] ?? [])))}`)
    .join("\n");
}

/** The least and the most that a process ran, of what each had run if all had run the same. */
function sharesText(turns: Turns): string {
  const percents = turns.flatMap(({ shares, ran }) => shares.map((share) => (share * shares.length * 100) / ran));
  const { min, max } = spread(percents);
  return `${Math.round(min)} to ${Math.round(max)}`;
}

function latencyText(turns: Turns): string {
  const latencies = turns.flatMap(({ latency }) => latency ?? []);
  if (latencies.length === 0) return "";
  return [latencies.map(({ p50 }) => p50), latencies.map(({ p99 }) => p99)]
    .map((values) => median(values).toFixed(1))
    .join(", ");
}
