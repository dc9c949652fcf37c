import type { Figure, PeerFigure, PeerRun, Piece } from "./results.ts";
import { measured, table } from "./text.ts";

const columns: readonly { readonly name: string; readonly key: PeerFigure }[] = [
  { name: "enqueue one", key: "enqueueOne" },
  { name: "one of 50 callers", key: "enqueueConcurrently" },
  { name: "run one", key: "drainTen" },
  { name: "run one, as recommended", key: "drainRecommended" },
  { name: "a chain of three", key: "threeSteps" },
];
/**
 * CPU only, because rates depend on the machine and its other load. A contender that several pieces measured counts in the first of them.
 */
export function summaryText(pieces: readonly Piece<PeerRun>[]): string {
  const names = [...new Set(pieces.flatMap(({ runs }) => runs.map(({ name }) => name)))];
  const rows = names.map((name) => {
    const piece = pieces.find(({ runs }) => runs.some((run) => run.name === name));
    const runs = piece?.runs.filter((run) => run.name === name) ?? [];
    return [name, ...columns.map(({ key }) => microsOf(runs.flatMap((run) => run[key] ?? [])))];
  });
  return table(["us of CPU, client and server", ...columns.map(({ name }) => name)], rows);
}

function microsOf(figures: readonly Figure[]): string {
  return measured(figures.map(({ cpuMicros, serverCpuMicros = 0 }) => cpuMicros + serverCpuMicros));
}
