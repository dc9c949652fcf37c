import Table from "cli-table3";
import { shown, spread, type Figure } from "@chainwright/bench-measuring";
import type { HandWrittenFigures } from "./measure-floor.ts";
import type { RowFigures } from "./measure-row.ts";
import type { Point } from "./settings.ts";

type Pick = (run: RowFigures) => Figure;

/** The columns, each with the floor that its rate is a share of. */
const columns: readonly { readonly name: string; readonly figure: Pick; readonly floor: Pick }[] = [
  { name: "start single", figure: (run) => run.startSingle, floor: (run) => run.floor.insertOne },
  { name: "concurrent", figure: (run) => run.startConcurrent, floor: (run) => run.floor.insertOne },
  { name: "batched", figure: (run) => run.startBatched, floor: (run) => run.floor.insertHundred },
  { name: "value", figure: (run) => run.value, floor: (run) => run.floor.exchangeHundred },
  { name: "atomic", figure: (run) => run.atomic, floor: (run) => run.floor.claimAndSettle },
  { name: "staged", figure: (run) => run.staged, floor: (run) => run.floor.claimAndSettle },
];

const floors: readonly { readonly name: string; readonly figure: Pick }[] = [
  { name: "insert", figure: (run) => run.floor.insertOne },
  { name: "insert of 100", figure: (run) => run.floor.insertHundred },
  { name: "empty tx", figure: (run) => run.floor.emptyTransaction },
  { name: "claim and settle one", figure: (run) => run.floor.claimAndSettle },
  { name: "exchange 100", figure: (run) => run.floor.exchangeHundred },
];

const pointNames: { readonly [Name in keyof Point]: string } = {
  backlog: "backlog",
  steps: "steps",
  payloadBytes: "payload",
  types: "types",
  workers: "workers",
};
const pointKeys = Object.keys(pointNames) as readonly (keyof Point)[];

const handWritten: readonly { readonly name: string; readonly key: keyof HandWrittenFigures }[] = [
  { name: "insert", key: "insertOne" },
  { name: "insert of 100", key: "insertHundred" },
  { name: "claim and end one", key: "claimAndSettle" },
  { name: "exchange 100", key: "exchangeHundred" },
];

/** A table of rates, with the share of the floor in the same run; one of CPU; and one of the floors. */
export function formatReport(runs: readonly RowFigures[]): string {
  const groups = [...Map.groupBy(runs, (run) => `${run.name} ${JSON.stringify(run.point)}`).values()];
  const varied = pointKeys.filter((name) => new Set(runs.map(({ point }) => point[name])).size > 1);
  const table = (head: readonly string[], cells: (group: readonly RowFigures[]) => readonly string[]): string => {
    const rows = new Table({
      head: ["", ...varied.map((name) => pointNames[name]), ...head],
      style: { head: [], border: [] },
    });
    for (const group of groups)
      rows.push([
        group[0]?.name ?? "",
        ...varied.map((name) => (group[0]?.point[name] ?? 0).toLocaleString("en")),
        ...cells(group),
      ]);
    return rows.toString();
  };
  const rates = table([...columns.map(({ name }) => `${name} /s`), "latency p50, p99 ms"], (group) => [
    ...columns.map(({ figure, floor }) => rateText(group, figure, floor)),
    `${middle(group, (run) => run.latency.p50).toFixed(2)}, ${middle(group, (run) => run.latency.p99).toFixed(2)}`,
  ]);
  const cpu = table(
    columns.map(({ name }) => `${name}, us CPU`),
    (group) => columns.map(({ figure }) => cpuText(group.map(figure))),
  );
  const bare = table([...floors.map(({ name }) => `floor: ${name}, us CPU`), "publish, ms"], (group) => [
    ...floors.map(({ figure }) => cpuText(group.map(figure))),
    publishText(group),
  ]);
  const queue = table(
    handWritten.map(({ name }) => `written by hand: ${name}, us CPU`),
    (group) => handWritten.map(({ key }) => cpuText(group.flatMap(({ floor }) => floor.handWritten?.[key] ?? []))),
  );
  const traffic = formatTraffic(runs);
  return [rates, cpu, bare, queue, ...(traffic === undefined ? [] : [traffic])].join("\n");
}

/** Counted, not timed: one turn says it. */
function formatTraffic(runs: readonly RowFigures[]): string | undefined {
  const counted = [...new Map(runs.map((run) => [run.name, run])).values()].filter(
    ({ traffic }) => traffic !== undefined,
  );
  if (counted.length === 0) return undefined;
  const rows = new Table({
    head: ["messages per 1,000 starts", "single", "concurrent", "batched", "empty looks a job, 8 idle workers"],
    style: { head: [], border: [] },
  });
  for (const { name, traffic } of counted)
    if (traffic !== undefined)
      rows.push([
        name,
        traffic.messagesSingle,
        traffic.messagesConcurrent,
        traffic.messagesBatched,
        traffic.emptyClaimsPerJob.toFixed(2),
      ]);
  return rows.toString();
}

function rateText(group: readonly RowFigures[], figure: Pick, floor: Pick): string {
  const share = middle(group, (run) => figure(run).perSecond / floor(run).perSecond);
  return `${shown(spread(group.map((run) => figure(run).perSecond)))}\n${(share * 100).toFixed(0)}% of floor`;
}

/** The bare round trip of a publish, one after the other. */
function publishText(group: readonly RowFigures[]): string {
  const roundTrips = group
    .flatMap(({ floor }) => floor.publishRoundTrip ?? [])
    .map((figure) => 1_000 / figure.perSecond);
  return roundTrips.length === 0 ? "" : spread(roundTrips).median.toFixed(2);
}

function cpuText(figures: readonly Figure[]): string {
  if (figures.length === 0) return "";
  const client = spread(figures.map((figure) => figure.cpuMicros)).median;
  const servers = figures.flatMap((figure) => figure.serverCpuMicros ?? []);
  return servers.length === 0 ? client.toFixed(1) : `${client.toFixed(1)} + ${spread(servers).median.toFixed(1)}`;
}

function middle(group: readonly RowFigures[], pick: (run: RowFigures) => number): number {
  return spread(group.map(pick)).median;
}
