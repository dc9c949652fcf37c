import type { CapacityRun, Figure } from "./results.ts";
import { atLeast, atMost, type Target } from "./target.ts";
import { middle } from "./text.ts";

const kinds = ["value", "atomic", "staged"] as const;
const cpuLimits: readonly { readonly row: string; readonly most: readonly [number, number, number] }[] = [
  { row: "in-process", most: [12, 20, 30] },
  { row: "sqlite/better-sqlite3", most: [20, 50, 90] },
  { row: "sqlite/node:sqlite", most: [20, 50, 90] },
];

/** The targets of one row of bench:capacity. */
export function capacityTargets(name: string, runs: readonly CapacityRun[]): readonly Target[] {
  if (name.startsWith("notify")) return [];
  const share = (of: (run: CapacityRun) => Figure, floor: (run: CapacityRun) => Figure): number =>
    middle(runs.map((run) => of(run).perSecond / floor(run).perSecond));
  const limits = cpuLimits.find(({ row }) => row === name)?.most;
  const cpu = kinds.flatMap((kind, index) => {
    const most = limits?.[index];
    return most === undefined
      ? []
      : [atMost(`${name}, ${kind}, us of CPU`, most, middle(runs.map((run) => run[kind].cpuMicros)))];
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
