import type { Figure, PeerFigure, PeerRun, Piece } from "./results.ts";
import { middle, table, whole } from "./text.ts";

const columns: readonly { readonly name: string; readonly key: PeerFigure }[] = [
  { name: "enqueue one", key: "enqueueOne" },
  { name: "one of 50 callers", key: "enqueueConcurrently" },
  { name: "run one", key: "drainTen" },
  { name: "run one, as recommended", key: "drainRecommended" },
  { name: "a chain of three", key: "threeSteps" },
];
const marks = { begin: "<!-- written by npm run bench:page -->", end: "<!-- end of what bench:page wrote -->" };

/** The README with the summary in its place. */
export function withSummary(readme: string, pieces: readonly Piece<PeerRun>[]): string {
  const [before, rest] = readme.split(marks.begin);
  const after = rest?.split(marks.end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`the README has no place for figures: ${marks.begin}`);
  return [before, marks.begin, `\n\n${summaryText(pieces)}\n\n`, marks.end, after].join("");
}

/** CPU alone: rates depend on the machine and on what else it does. A contender counts where it was measured first. */
function summaryText(pieces: readonly Piece<PeerRun>[]): string {
  const names = [...new Set(pieces.flatMap(({ runs }) => runs.map(({ name }) => name)))];
  const rows = names.map((name) => {
    const piece = pieces.find(({ runs }) => runs.some((run) => run.name === name));
    const runs = piece?.runs.filter((run) => run.name === name) ?? [];
    return [name, ...columns.map(({ key }) => microsOf(runs.flatMap((run) => run[key] ?? [])))];
  });
  return table(["us of CPU, client and server", ...columns.map(({ name }) => name)], rows);
}

function microsOf(figures: readonly Figure[]): string {
  const micros = middle(figures.map(({ cpuMicros, serverCpuMicros = 0 }) => cpuMicros + serverCpuMicros));
  return Number.isNaN(micros) ? "" : whole(micros);
}
