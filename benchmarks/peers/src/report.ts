import { median, type Figure } from "@chainwright/bench-measuring";
import Table from "cli-table3";
import type { Contender } from "./contender.ts";
import type { ContenderFigures } from "./measure-contender.ts";

type Pick = (figures: ContenderFigures) => Figure | undefined;

const columns: readonly { readonly name: string; readonly of: Pick }[] = [
  { name: "enqueue one", of: (figures) => figures.enqueueOne },
  { name: "50 callers", of: (figures) => figures.enqueueConcurrently },
  { name: "by 100", of: (figures) => figures.enqueueHundred },
  { name: "drain at 10", of: (figures) => figures.drainTen },
  { name: "at 100", of: (figures) => figures.drainHundred },
  { name: "recommended", of: (figures) => figures.drainRecommended },
  { name: "3-step chains", of: (figures) => figures.threeSteps },
  { name: "with backlog", of: (figures) => figures.withBacklog },
];

/** For each league: rates with how many times ours that is, then CPU. The first of a league is what ratios refer to. */
export function formatReport(contenders: readonly Contender[], runs: readonly ContenderFigures[]): string {
  return [...new Set(contenders.map(({ league }) => league))]
    .map((league) => {
      const names = contenders.filter((one) => one.league === league).map(({ name }) => name);
      return formatLeague(
        league,
        names.map((name) => runs.filter((run) => run.name === name)).filter((turns) => turns.length > 0),
      );
    })
    .join("\n");
}

function formatLeague(league: string, rows: readonly (readonly ContenderFigures[])[]): string {
  const ours = rows[0] ?? [];
  const rates = new Table({
    head: [`${league}, per second`, ...columns.map(({ name }) => name), "latency p50, p99 ms"],
    style: { head: [], border: [] },
  });
  const cpu = new Table({
    head: [`${league}, us of CPU`, ...columns.map(({ name }) => name)],
    style: { head: [], border: [] },
  });
  for (const turns of rows) {
    const name = turns[0]?.name ?? "";
    rates.push([
      name,
      ...columns.map(({ of }) => rateText(turns, ours, of)),
      [median(turns.map(({ latency }) => latency.p50)), median(turns.map(({ latency }) => latency.p99))]
        .map((ms) => ms.toFixed(1))
        .join(", "),
    ]);
    cpu.push([name, ...columns.map(({ of }) => cpuText(turns, of))]);
  }
  return [rates.toString(), cpu.toString()].join("\n");
}

/** Turn by turn, and then the middle: what else the host did in a turn fell on both. */
function rateText(turns: readonly ContenderFigures[], ours: readonly ContenderFigures[], of: Pick): string {
  const rates = turns.flatMap((turn) => of(turn)?.perSecond ?? []);
  if (rates.length === 0) return "";
  const ratios = turns.flatMap((turn, index) => {
    const [theirs, reference] = [of(turn), ours[index] === undefined ? undefined : of(ours[index])];
    return theirs === undefined || reference === undefined ? [] : theirs.perSecond / reference.perSecond;
  });
  return `${Math.round(median(rates)).toLocaleString("en")}\nx ${median(ratios).toFixed(2)}`;
}

function cpuText(turns: readonly ContenderFigures[], of: Pick): string {
  const figures = turns.flatMap((turn) => of(turn) ?? []);
  if (figures.length === 0) return "";
  const client = median(figures.map(({ cpuMicros }) => cpuMicros)).toFixed(0);
  const servers = figures.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return servers.length === 0 ? client : `${client} + ${median(servers).toFixed(0)}`;
}
