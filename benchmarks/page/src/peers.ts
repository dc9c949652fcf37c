import type { PeerFigure, PeerRun, Piece } from "./results.ts";
import { cpuText, latencyText, measured, middle, number, table } from "./text.ts";

const columns: readonly { readonly name: string; readonly key: PeerFigure }[] = [
  { name: "enqueue one", key: "enqueueOne" },
  { name: "50 callers", key: "enqueueConcurrently" },
  { name: "by 100", key: "enqueueHundred" },
  { name: "drain at 10", key: "drainTen" },
  { name: "at 100", key: "drainHundred" },
  { name: "recommended", key: "drainRecommended" },
  { name: "3-step chains", key: "threeSteps" },
  { name: "with backlog", key: "withBacklog" },
];

/** One pair of tables per league: contenders are compared only within their league. */
export function peersText({ runs }: Piece<PeerRun>): string {
  return [...Map.groupBy(runs, ({ league }) => league).values()].map(leagueText).join("\n\n");
}

/** Rates with their ratio to Chainwright's in the same piece, then CPU time. */
function leagueText(league: readonly PeerRun[]): string {
  const contenders = [...Map.groupBy(league, ({ name }) => name)];
  const ours = contenders[0]?.[1] ?? [];
  const rates = contenders.map(([name, runs]) => [
    name,
    ...columns.map(({ key }) => {
      const perSecond = ratesOf(runs, key);
      return perSecond.length === 0 ? "" : `${measured(perSecond)} (x ${number(ratioTo(ours, runs, key), 2)})`;
    }),
    latencyText(runs.map(({ latency }) => latency)),
  ]);
  const cpu = contenders.map(([name, runs]) => [
    name,
    ...columns.map(({ key }) => cpuText(runs.flatMap((run) => run[key] ?? []))),
  ]);
  const head = columns.map(({ name }) => name);
  return [table(["per second", ...head, "latency p50, p99 ms"], rates), table(["us of CPU", ...head], cpu)].join(
    "\n\n",
  );
}

/** Every figure in which another queue is faster than Chainwright with values. */
export function lossesText(pieces: readonly Piece<PeerRun>[]): string {
  const leagues = pieces.flatMap(({ runs }) => [...Map.groupBy(runs, ({ league }) => league).values()]);
  const lost = leagues.flatMap((league) => {
    const contenders = [...Map.groupBy(league, ({ name }) => name)];
    const ours = contenders[0]?.[1] ?? [];
    return contenders
      .filter(([name]) => !name.startsWith("chainwright"))
      .flatMap(([name, runs]) => {
        const won = columns.flatMap(({ name: column, key }) => {
          const ratio = ratioTo(ours, runs, key);
          return ratio > 1 ? [`${column} (x ${number(ratio, 2)})`] : [];
        });
        return won.length === 0 ? [] : [`- ${name}: ${won.join(", ")}.`];
      });
  });
  return lost.length === 0 ? "Nowhere in this run." : lost.join("\n");
}

function ratesOf(runs: readonly PeerRun[], key: PeerFigure): readonly number[] {
  return runs.flatMap((run) => run[key]?.perSecond ?? []);
}

function ratioTo(ours: readonly PeerRun[], runs: readonly PeerRun[], key: PeerFigure): number {
  return middle(ratesOf(runs, key)) / middle(ratesOf(ours, key));
}
