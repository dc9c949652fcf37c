import { median, type Figure } from "@chainwright/bench-measuring";
import { batchRound, payloadRound, portRound, type Round } from "../batch-rounds.ts";
import type { Conditions, Scenario } from "../scenario.ts";
import { onStore, stores } from "../store.ts";

const discardedRounds = 1;
const rounds = 3;
const measured: readonly (readonly [string, Round])[] = [
  ["port", portRound],
  ["payloads", payloadRound],
  ["batch", batchRound],
];

/** What a batch handler adds to the calls of the store. */
export const batches: Scenario = {
  name: "batches",
  title: "Batches of 500",
  note: `Jobs that are there when the round begins, until the last one is stored, in rounds of which the median counts; the kinds take turns, each on an empty store. "port" calls the state adapter alone, which settles a hundred jobs and claims a hundred with each call. "payloads" does the same with batches of 500, reads their inputs and makes texts of their results. "batch" is a worker with a batch handler of 1 ms.`,
  columns: [
    { name: "port, jobs/s", keys: ["portPerSecond"], digits: 0 },
    { name: "batch, jobs/s", keys: ["batchPerSecond"], digits: 0 },
    { name: "batch / port", keys: ["ratio"], digits: 2 },
    { name: "payloads, jobs/s", keys: ["payloadsPerSecond"], digits: 0 },
    { name: "batch / payloads", keys: ["payloadsRatio"], digits: 2 },
    { name: "port, us of CPU per job", keys: ["portClient"], digits: 1 },
    { name: "payloads", keys: ["payloadsClient"], digits: 1 },
    { name: "batch", keys: ["batchClient"], digits: 1 },
    { name: "port, server", keys: ["portServer"], digits: 1 },
    { name: "batch, server", keys: ["batchServer"], digits: 1 },
  ],
  rows: stores.map(({ name, needs }) => ({ name, needs })),
  async measure(row, conditions) {
    const [port = [], payloads = [], batch = []] = await inTurns(row, conditions);
    const portPerSecond = medianOf(port, perSecond);
    const payloadsPerSecond = medianOf(payloads, perSecond);
    const batchPerSecond = medianOf(batch, perSecond);
    return {
      portPerSecond,
      payloadsPerSecond,
      batchPerSecond,
      ratio: batchPerSecond / portPerSecond,
      payloadsRatio: batchPerSecond / payloadsPerSecond,
      payloadsClient: medianOf(payloads, ({ cpuMicros }) => cpuMicros),
      portClient: medianOf(port, ({ cpuMicros }) => cpuMicros),
      batchClient: medianOf(batch, ({ cpuMicros }) => cpuMicros),
      ...serverOf("portServer", port),
      ...serverOf("batchServer", batch),
    };
  },
};

async function inTurns(row: string, { settings, servers, progress }: Conditions): Promise<readonly Figure[][]> {
  const figures: Figure[][] = measured.map(() => []);
  for (let round = 0; round < discardedRounds + rounds; round += 1) {
    for (const [index, [name, run]] of measured.entries()) {
      progress(`round ${round + 1}, ${name}`);
      const figure = await onStore(row, servers, (open) => run(open, settings.batchedJobs));
      if (round >= discardedRounds) figures[index]?.push(figure);
    }
  }
  return figures;
}

const perSecond = (figure: Figure): number => figure.perSecond;

function medianOf(figures: readonly Figure[], of: (figure: Figure) => number): number {
  return median(figures.map(of));
}

function serverOf(key: string, figures: readonly Figure[]): Readonly<Record<string, number>> {
  const seen = figures.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return seen.length === 0 ? {} : { [key]: median(seen) };
}
