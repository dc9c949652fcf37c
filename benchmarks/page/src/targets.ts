import type { MemoryRow, Piece, Results, ScaleOutRun, ScenarioPiece } from "./results.ts";
import { growthOf } from "./scale-out.ts";
import { atMost, type Target } from "./target.ts";
import { capacityTargets } from "./targets-of-capacity.ts";
import { middle, number, table } from "./text.ts";

/** The targets, what this run found, and whether it met them. */
export function targetsText({ capacity, memory, scaleOut, scenarios }: Results): string {
  const byRow = Map.groupBy(
    capacity.flatMap((piece) => piece.runs),
    ({ name }) => name,
  );
  const targets = [
    ...[...byRow].flatMap(([name, runs]) => capacityTargets(name, runs)),
    ...memory.flatMap(({ runs, settings }) => runs.flatMap((row) => memoryTargets(row, Number(settings["processed"])))),
    ...scaleOut.flatMap(scaleOutTargets),
    ...scenarios.flatMap(observerTargets),
  ];
  return table(
    ["", "target", "found", ""],
    targets.map(({ what, asked, found, isMet }) => [what, asked, found, isMet ? "met" : "**missed**"]),
  );
}

function memoryTargets({ name, footprints, growth }: MemoryRow, jobs: number): readonly Target[] {
  const retained = footprints.map((footprint) => footprint.retained / 1_024);
  const left = growth?.perJobProcessed.perUnit;
  return [
    ...(retained.length === 0 ? [] : [atMost(`${name}, live objects retained, KB`, 10, middle(retained))]),
    ...(left === undefined ? [] : [atMost(`${name}, bytes left per job of ${number(jobs)}`, 10, left)]),
  ];
}

const growthLimits = [
  { mode: "value", processes: 32, most: 1.5 },
  { mode: "atomic", processes: 16, most: 1.4 },
];
const idleProcesses = 100;
const idlePercent = 2;

function scaleOutTargets({ runs }: Piece<ScaleOutRun>): readonly Target[] {
  const ours = Map.groupBy(
    runs.filter(({ row }) => row.startsWith("chainwright")),
    ({ row, mode }) => `${row}, ${mode}`,
  );
  return [...ours].flatMap(([name, ofRow]) => {
    const at = (processes: number, idle: number): readonly ScaleOutRun[] =>
      ofRow.filter((run) => run.processes === processes && run.idle === idle);
    const alone = at(1, 0);
    const grown = growthLimits
      .filter(({ mode }) => mode === ofRow[0]?.mode)
      .map(({ processes, most }) => ({
        what: `${name}, CPU at ${processes} processes, times that of one`,
        most,
        found: growthOf(at(processes, 0), alone),
      }));
    const beside = {
      what: `${name}, CPU of one process beside ${idleProcesses} idle ones, % more`,
      most: idlePercent,
      found: (growthOf(at(1, idleProcesses), alone) - 1) * 100,
    };
    return [...grown, beside]
      .filter(({ found }) => !Number.isNaN(found))
      .map(({ what, most, found }) => atMost(what, most, found));
  });
}

const observerPercent = 5;

/** Of the CPU of client and server, compared with a client without observers. */
function observerTargets({ runs }: ScenarioPiece): readonly Target[] {
  const rows = Map.groupBy(
    runs.filter(({ scenario }) => scenario === "observers"),
    ({ row }) => row,
  );
  const cpuOf = (row: string): number =>
    middle((rows.get(row) ?? []).map(({ figures }) => (figures["client"] ?? 0) + (figures["server"] ?? 0)));
  return [...rows.keys()].flatMap((row) => {
    const base = `${row.slice(0, row.indexOf(", "))}, none`;
    const more = (cpuOf(row) / cpuOf(base) - 1) * 100;
    return row === base || Number.isNaN(more)
      ? []
      : [atMost(`${row}, % more CPU of a job than with none`, observerPercent, more)];
  });
}
