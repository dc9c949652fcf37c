import Table from "cli-table3";
import { median, shown, spread } from "@chainwright/bench-measuring";
import type { SlowSyncFigures, SlowSyncLevel } from "./measure-slow-sync.ts";

/** A table of rates and of the delays of the event loop, a row for each adapter and number of callers. */
export function formatSlowSync(runs: readonly SlowSyncFigures[]): string {
  const table = new Table({
    head: ["", "a sync, ms", "callers", "starts /s", "times serial", "us CPU", "event loop delay p50, p99, max ms"],
    style: { head: [], border: [] },
  });
  for (const [name, group] of Map.groupBy(runs, (run) => run.name)) {
    const levels = Map.groupBy(
      group.flatMap((run) => run.levels),
      ({ callers }) => callers,
    );
    const serial = medianOf(levels.get(1) ?? [], ({ starts }) => starts.perSecond);
    for (const [callers, same] of levels) {
      const rates = spread(same.map(({ starts }) => starts.perSecond));
      const delays = (["p50", "p99", "max"] as const).map((part) =>
        medianOf(same, ({ loopDelay }) => loopDelay[part]).toFixed(1),
      );
      table.push([
        name,
        median(group.map(({ syncMs }) => syncMs)).toFixed(2),
        callers,
        shown(rates),
        (rates.median / serial).toFixed(1),
        medianOf(same, ({ starts }) => starts.cpuMicros).toFixed(1),
        delays.join(", "),
      ]);
    }
  }
  return table.toString();
}

function medianOf(levels: readonly SlowSyncLevel[], pick: (level: SlowSyncLevel) => number): number {
  return median(levels.map(pick));
}
