import type { CapacityRun, Figure, Piece } from "./results.ts";
import { cpuText, latencyText, measured, middle, number, table } from "./text.ts";

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
      return `${measured(runs.map((run) => of(run).perSecond))} (${number(share * 100)} %)`;
    }),
    latencyText(runs.map(({ latency }) => latency)),
  ]);
  const cpu = groups.map(([name, runs]) => [name, ...columns.map(({ of }) => cpuText(runs.map(of)))]);
  const floors = groups.map(([name, runs]) => [
    name,
    cpuText(runs.map(({ floor }) => floor.insertOne)),
    cpuText(runs.map(({ floor }) => floor.insertHundred)),
    cpuText(runs.map(({ floor }) => floor.exchangeHundred)),
    cpuText(runs.map(({ floor }) => floor.claimAndSettle)),
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
    ...handWrittenText(groups),
  ].join("\n\n");
}

const handWrittenColumns = [
  { name: "insert", key: "insertOne" },
  { name: "insert of 100", key: "insertHundred" },
  { name: "end 100, claim 100", key: "exchangeHundred" },
  { name: "claim one, end one", key: "claimAndSettle" },
] as const;

function handWrittenText(groups: readonly (readonly [string, readonly CapacityRun[]])[]): readonly string[] {
  const rows = groups.flatMap(([name, runs]) => {
    const figures = runs.flatMap(({ floor }) => floor.handWritten ?? []);
    return figures.length === 0
      ? []
      : [[name, ...handWrittenColumns.map(({ key }) => cpuText(figures.map((figure) => figure[key])))]];
  });
  if (rows.length === 0) return [];
  return [
    "The floors do less than a queue. A queue that is written by hand in plain SQL, with the leases, fences, times, results and history of the library but without chains, blockers, deduplication keys and retries, takes:",
    table(["", ...handWrittenColumns.map(({ name }) => name)], rows),
  ];
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
      cpuText(group.filter(({ point }) => point.backlog === backlog).map(({ value }) => value)),
    ),
  ]);
  return table(["CPU of a value job, us", ...backlogs.map((backlog) => `${number(backlog)} waiting`)], rows);
}

function publishText(runs: readonly CapacityRun[]): string {
  const trips = runs.flatMap(({ floor }) => floor.publishRoundTrip ?? []).map(({ perSecond }) => 1_000 / perSecond);
  return measured(trips, 2);
}
