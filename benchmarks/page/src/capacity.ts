import type { CapacityRun, Figure, Piece } from "./results.ts";
import { cpuText, middle, table, whole } from "./text.ts";

type Pick = (run: CapacityRun) => Figure;

const columns: readonly { readonly name: string; readonly of: Pick; readonly floor: Pick }[] = [
  { name: "start single", of: (run) => run.startSingle, floor: (run) => run.floor.insertOne },
  { name: "50 callers", of: (run) => run.startConcurrent, floor: (run) => run.floor.insertOne },
  { name: "batched", of: (run) => run.startBatched, floor: (run) => run.floor.insertHundred },
  { name: "value", of: (run) => run.value, floor: (run) => run.floor.exchangeHundred },
  { name: "atomic", of: (run) => run.atomic, floor: (run) => run.floor.claimAndSettle },
  { name: "staged", of: (run) => run.staged, floor: (run) => run.floor.claimAndSettle },
];

export function capacityText(pieces: readonly Piece<CapacityRun>[]): string {
  const groups = [
    ...Map.groupBy(
      pieces.flatMap(({ runs }) => runs),
      ({ name }) => name,
    ),
  ];
  const rates = groups.map(([name, runs]) => [
    name,
    ...columns.map(({ of, floor }) => {
      const share = middle(runs.map((run) => of(run).perSecond / floor(run).perSecond));
      return `${whole(middle(runs.map((run) => of(run).perSecond)))} (${(share * 100).toFixed(0)} %)`;
    }),
    `${middle(runs.map((run) => run.latency.p50)).toFixed(1)}, ${middle(runs.map((run) => run.latency.p99)).toFixed(1)}`,
  ]);
  const cpu = groups.map(([name, runs]) => [name, ...columns.map(({ of }) => cpuOf(runs.map(of)))]);
  const floors = groups.map(([name, runs]) => [
    name,
    cpuOf(runs.map(({ floor }) => floor.insertOne)),
    cpuOf(runs.map(({ floor }) => floor.insertHundred)),
    cpuOf(runs.map(({ floor }) => floor.exchangeHundred)),
    cpuOf(runs.map(({ floor }) => floor.claimAndSettle)),
    publishText(runs),
  ]);
  return [
    "Jobs per second, and in brackets the share of the floor in the same run:",
    table(["", ...columns.map(({ name }) => name), "latency p50, p99 ms"], rates),
    "Microseconds of CPU time per job, client + server:",
    table(["", ...columns.map(({ name }) => name)], cpu),
    "The floors, in microseconds of CPU time:",
    table(
      ["", "insert", "insert of 100", "claim 100, settle 100", "claim one, settle one", "publish round trip, ms"],
      floors,
    ),
  ].join("\n\n");
}

export function trafficText(pieces: readonly Piece<CapacityRun>[]): string {
  const counted = pieces
    .flatMap(({ runs }) => runs)
    .flatMap(({ name, traffic }) => (traffic === undefined ? [] : [{ name, traffic }]));
  // The highest count of all repetitions.
  const rows = [...Map.groupBy(counted, ({ name }) => name)].map(([name, group]) => {
    const most = (pick: (traffic: NonNullable<CapacityRun["traffic"]>) => number): number =>
      Math.max(...group.map(({ traffic }) => pick(traffic)));
    return [
      name,
      String(most((traffic) => traffic.messagesSingle)),
      String(most((traffic) => traffic.messagesConcurrent)),
      String(most((traffic) => traffic.messagesBatched)),
      most((traffic) => traffic.emptyClaimsPerJob).toFixed(2),
    ];
  });
  return table(
    ["messages for 1,000 starts", "single", "50 callers", "batched", "empty looks per job, 8 idle workers"],
    rows,
  );
}

export function backlogText(pieces: readonly Piece<CapacityRun>[]): string {
  const runs = pieces.flatMap((piece) => piece.runs);
  const backlogs = [...new Set(runs.map(({ point }) => point.backlog))].sort((a, b) => a - b);
  const rows = [...Map.groupBy(runs, ({ name }) => name)].map(([name, group]) => [
    name,
    ...backlogs.map((backlog) =>
      cpuOf(group.filter(({ point }) => point.backlog === backlog).map(({ value }) => value)),
    ),
  ]);
  return table(["CPU of a value job, us", ...backlogs.map((backlog) => `${whole(backlog)} waiting`)], rows);
}

function cpuOf(figures: readonly Figure[]): string {
  const servers = figures.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return cpuText(middle(figures.map(({ cpuMicros }) => cpuMicros)), servers.length === 0 ? undefined : middle(servers));
}

function publishText(runs: readonly CapacityRun[]): string {
  const trips = runs.flatMap(({ floor }) => floor.publishRoundTrip ?? []).map(({ perSecond }) => 1_000 / perSecond);
  return trips.length === 0 ? "" : middle(trips).toFixed(2);
}
