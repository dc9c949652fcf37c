import Table from "cli-table3";
import type { Figure } from "./figure.ts";
import type { RowFigures } from "./measure-row.ts";

/** The middle run of several, and how far the others were off. */
interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A table of rates, with the share of the floor in the same run, and one of CPU. */
export function formatReport(runs: readonly RowFigures[]): string {
  const groups = Map.groupBy(runs, (run) => `${run.name} ${run.backlog}`);
  const rates = new Table({
    head: [
      "",
      "backlog",
      "start single /s",
      "concurrent /s",
      "batched /s",
      "value /s",
      "atomic /s",
      "staged /s",
      "latency p50, p99 ms",
    ],
  });
  const cpu = new Table({
    head: [
      "us of CPU each",
      "backlog",
      "start single",
      "concurrent",
      "batched",
      "value",
      "atomic",
      "staged",
      "floor: insert, of 100, empty tx, exchange 100",
    ],
  });
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const rate = (pick: (run: RowFigures) => Figure, floor: (run: RowFigures) => Figure): string => {
      const share = spread(group.map((run) => pick(run).perSecond / floor(run).perSecond));
      return `${shown(spread(group.map((run) => pick(run).perSecond)))}\n${(share.median * 100).toFixed(0)}% of floor`;
    };
    rates.push([
      first.name,
      first.backlog.toLocaleString("en"),
      rate(
        (run) => run.startSingle,
        (run) => run.floor.insertOne,
      ),
      rate(
        (run) => run.startConcurrent,
        (run) => run.floor.insertOne,
      ),
      rate(
        (run) => run.startBatched,
        (run) => run.floor.insertHundred,
      ),
      rate(
        (run) => run.value,
        (run) => run.floor.exchangeHundred,
      ),
      rate(
        (run) => run.atomic,
        (run) => run.floor.emptyTransaction,
      ),
      rate(
        (run) => run.staged,
        (run) => run.floor.emptyTransaction,
      ),
      `${middle(group, (run) => run.latency.p50).toFixed(2)}, ${middle(group, (run) => run.latency.p99).toFixed(2)}`,
    ]);
    const micros = (pick: (run: RowFigures) => Figure): string => cpuText(group.map(pick));
    const floors = (["insertOne", "insertHundred", "emptyTransaction", "exchangeHundred"] as const).map((name) =>
      micros((run) => run.floor[name]),
    );
    cpu.push([
      first.name,
      first.backlog.toLocaleString("en"),
      ...(["startSingle", "startConcurrent", "startBatched", "value", "atomic", "staged"] as const).map((name) =>
        micros((run) => run[name]),
      ),
      floors.join(", "),
    ]);
  }
  return `${rates.toString()}\n${cpu.toString()}`;
}

function cpuText(figures: readonly Figure[]): string {
  const client = spread(figures.map((figure) => figure.cpuMicros)).median;
  const servers = figures.flatMap((figure) => figure.serverCpuMicros ?? []);
  return servers.length === 0 ? client.toFixed(1) : `${client.toFixed(1)} + ${spread(servers).median.toFixed(1)}`;
}

function middle(group: readonly RowFigures[], pick: (run: RowFigures) => number): number {
  return spread(group.map(pick)).median;
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

function shown({ median, min, max }: Spread): string {
  const text = Math.round(median).toLocaleString("en");
  return min === max
    ? text
    : `${text} (${Math.round(min).toLocaleString("en")} to ${Math.round(max).toLocaleString("en")})`;
}
