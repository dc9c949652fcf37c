import type { CapacityRun, Figure, MemoryRow, Piece } from "./results.ts";
import { middle, table } from "./text.ts";

interface Target {
  readonly what: string;
  readonly asked: string;
  readonly found: string;
  readonly isMet: boolean;
}

const kinds = ["value", "atomic", "staged"] as const;
const cpuLimits: readonly { readonly row: string; readonly most: readonly [number, number, number] }[] = [
  { row: "in-process", most: [12, 20, 30] },
  { row: "sqlite/better-sqlite3", most: [20, 50, 90] },
  { row: "sqlite/node:sqlite", most: [20, 50, 90] },
];

/** The targets, what this run found, and whether it met them. */
export function targetsText(capacity: readonly Piece<CapacityRun>[], memory: readonly Piece<MemoryRow>[]): string {
  const runs = Map.groupBy(
    capacity.flatMap((piece) => piece.runs),
    ({ name }) => name,
  );
  const targets = [
    ...[...runs].flatMap(([name, group]) => capacityTargets(name, group)),
    ...memory.flatMap((piece) => piece.runs).flatMap(memoryTargets),
  ];
  return table(
    ["", "target", "found", ""],
    targets.map(({ what, asked, found, isMet }) => [what, asked, found, isMet ? "met" : "**missed**"]),
  );
}

function capacityTargets(name: string, runs: readonly CapacityRun[]): readonly Target[] {
  if (name.startsWith("notify")) return [];
  const share = (of: (run: CapacityRun) => Figure, floor: (run: CapacityRun) => Figure): number =>
    middle(runs.map((run) => of(run).perSecond / floor(run).perSecond));
  const limits = cpuLimits.find(({ row }) => row === name)?.most;
  const cpu = kinds.flatMap((kind, index) => {
    const most = limits?.[index];
    const found = middle(runs.map((run) => run[kind].cpuMicros));
    return most === undefined
      ? []
      : [
          {
            what: `${name}, ${kind}`,
            asked: `at most ${most} us`,
            found: `${found.toFixed(1)} us`,
            isMet: found <= most,
          },
        ];
  });
  return [
    ...cpu,
    // A map in memory is no yardstick for a store.
    ...(name === "in-process"
      ? []
      : [
          atLeast(
            `${name}, value of its floor`,
            0.5,
            share(
              (run) => run.value,
              ({ floor }) => floor.exchangeHundred,
            ),
          ),
          atLeast(
            `${name}, start single of its floor`,
            0.9,
            share(
              (run) => run.startSingle,
              ({ floor }) => floor.insertOne,
            ),
          ),
          atLeast(
            `${name}, start batched of its floor`,
            0.5,
            share(
              (run) => run.startBatched,
              ({ floor }) => floor.insertHundred,
            ),
          ),
        ]),
    ...(name.startsWith("postgres")
      ? []
      : [atMost(`${name}, latency p50, ms`, 2, middle(runs.map(({ latency }) => latency.p50)))]),
  ];
}

function memoryTargets({ name, footprints, published, growth }: MemoryRow): readonly Target[] {
  const kilobytes = (of: (footprint: MemoryRow["footprints"][number]) => number): number =>
    middle(footprints.map(of)) / 1_024;
  return [
    atMost(
      `${name}, live objects retained, KB`,
      10,
      kilobytes(({ retained }) => retained),
    ),
    ...(published?.[0] === undefined
      ? []
      : [
          atMost(
            `${name}, set up, KB`,
            published[0] / 2,
            kilobytes(({ setUp }) => setUp),
          ),
        ]),
    ...(growth === undefined ? [] : [atMost(`${name}, bytes left per job`, 10, growth.perJobProcessed)]),
  ];
}

function atLeast(what: string, least: number, found: number): Target {
  return { what, asked: `at least ${least}`, found: found.toFixed(2), isMet: found >= least };
}

function atMost(what: string, most: number, found: number): Target {
  return { what, asked: `at most ${most}`, found: found.toFixed(1), isMet: found <= most };
}
