import type { CapacityRun } from "./results.ts";
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
  const limits = cpuLimits.find(({ row }) => row === name)?.most;
  const cpu = kinds.flatMap((kind, index) => {
    const most = limits?.[index];
    return most === undefined
      ? []
      : [atMost(`${name}, ${kind}, us of CPU`, most, middle(runs.map((run) => run[kind].cpuMicros)))];
  });
  const latency = atMost(`${name}, latency p50, ms`, 2, middle(runs.map((run) => run.latency.p50)));
  return [
    ...cpu,
    // A map in memory is no yardstick for a store.
    ...(name === "in-process" ? [] : shares.map((share) => shareTarget(name, runs, share))),
    ...(name.startsWith("postgres") ? [] : [latency]),
  ];
}

interface Share {
  readonly what: string;
  readonly least: number;
  readonly of: "value" | "startSingle" | "startBatched";
  readonly floor: "exchangeHundred" | "insertOne" | "insertHundred";
}

const shares: readonly Share[] = [
  { what: "value", least: 0.5, of: "value", floor: "exchangeHundred" },
  { what: "start single", least: 0.9, of: "startSingle", floor: "insertOne" },
  { what: "start batched", least: 0.5, of: "startBatched", floor: "insertHundred" },
];

/** Compared with the queue written by hand, because the bare floor does less than a queue; results of old runs have only that. */
function shareTarget(name: string, runs: readonly CapacityRun[], { what, least, of, floor }: Share): Target {
  const found = middle(runs.map((run) => run[of].perSecond / (run.floor.handWritten ?? run.floor)[floor].perSecond));
  const isByHand = runs.every((run) => run.floor.handWritten !== undefined);
  return atLeast(`${name}, ${what} of ${isByHand ? "the queue written by hand" : "its floor"}`, least, found);
}
