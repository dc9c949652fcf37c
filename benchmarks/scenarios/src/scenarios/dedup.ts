import { startChild } from "@chainwright/bench-measuring";
import { race, type RaceFigures, type RaceRequest } from "../race.ts";
import type { Scenario } from "../scenario.ts";
import { onStore, stores, type OpenStore } from "../store.ts";

const raceProcess = new URL("../race-process.ts", import.meta.url);
const callers = 10;

/** Starts of the same keys by many callers at the same time. */
export const dedup: Scenario = {
  name: "dedup",
  title: "Races for deduplication keys",
  note: `Several processes with ${callers} callers each start the same keys in the same order at the same time (in-process: one process). After it, each key must have one chain, which all callers got and one of them created.`,
  columns: [
    { name: "starts a second", keys: ["perSecond"], digits: 0 },
    { name: "us of CPU per start", keys: ["client", "server"], digits: 0 },
    { name: "keys, each with one chain", keys: ["keys"], digits: 0 },
    { name: "starts of each key", keys: ["startsPerKey"], digits: 0 },
  ],
  rows: stores,
  measure: (row, { settings, servers, progress }) =>
    onStore(row, servers, async (open, place) => {
      const { keys } = settings;
      const request: RaceRequest = { row, servers, place, keys, callers };
      const before = open.serverCpu();
      const processes =
        row === "in-process"
          ? [await race(open, request)]
          : await raceInProcesses(request, settings.processes, progress);
      const after = open.serverCpu();
      await checkChains(processes, open, keys);
      const starts = keys * callers * processes.length;
      const begunAt = Math.min(...processes.map((one) => one.begunAt));
      const endedAt = Math.max(...processes.map((one) => one.endedAt));
      return {
        perSecond: (starts * 1_000) / (endedAt - begunAt),
        client: processes.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / starts,
        ...(before !== undefined && after !== undefined && { server: (after - before) / starts }),
        keys,
        startsPerKey: starts / keys,
      };
    }),
};

async function raceInProcesses(
  request: RaceRequest,
  count: number,
  progress: (step: string) => void,
): Promise<readonly RaceFigures[]> {
  const children = Array.from({ length: count }, () => {
    const ready = Promise.withResolvers<void>();
    return { ready: ready.promise, ...startChild<RaceFigures>(raceProcess, request, () => ready.resolve()) };
  });
  progress("processes");
  await Promise.all(children.map(({ ready, figures }) => Promise.race([ready, figures])));
  progress("race");
  for (const { tell } of children) tell("begin");
  return await Promise.all(children.map(({ figures }) => figures));
}

/** A rate of starts that created two chains for a key would be no rate. */
async function checkChains(processes: readonly RaceFigures[], open: OpenStore, keys: number): Promise<void> {
  const stored = (await open.adapters.stateAdapter.count({})).reduce((sum, { count }) => sum + count, 0);
  const created = processes.reduce((sum, one) => sum + one.created, 0);
  if (stored !== keys || created !== keys)
    throw new Error(`${keys} keys have ${stored} chains, of which callers created ${created}`);
  for (let key = 0; key < keys; key += 1) {
    const ids = new Set(processes.flatMap(({ chains }) => chains[key] ?? []));
    if (ids.size !== 1) throw new Error(`callers of key ${key} got ${ids.size} different chains`);
  }
}
