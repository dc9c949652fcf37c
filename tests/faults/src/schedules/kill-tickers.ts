import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "chainwright";
import type { ScheduleRecord } from "chainwright/adapter";
import { withKilledProcesses } from "../kills/with-killed-processes.ts";
import { prepareStore, openStore } from "../store/place.ts";
import type { OpenStore, StorePlace } from "../store/open-store.ts";
import { tickingJobTypes as jobTypes } from "./job-types.ts";
import { judgeTicks } from "./judge-ticks.ts";

const everyMs = 1_000;
/** The schedules tick that long before the first kill and after the last one. */
const calmMs = 2_500;
const path = fileURLToPath(new URL("ticking-process.ts", import.meta.url));

/** Processes that tick schedules of one second, and how many of them are killed. */
export interface TickerKills {
  readonly place: StorePlace;
  readonly processes: number;
  readonly schedules: number;
  readonly kills: number;
}

/** What was found. */
export interface TickerReport {
  readonly wrong: readonly string[];
  readonly ticks: number;
  /** By how much the last tick of any schedule is behind at the end. */
  readonly latestLagMs: number;
}

/** Kills processes that tick the same schedules, one after the other, each replaced by a new one. Then looks for holes and doubles. */
export async function killTickers({ place, processes, schedules, kills }: TickerKills): Promise<TickerReport> {
  await prepareStore(place);
  const store = openStore(place);
  try {
    await createAll(store, schedules);
    return await withKilledProcesses({ path, place, processes }, async ({ killOne, end }) => {
      await delay(calmMs);
      for (let killed = 0; killed < kills; killed += 1) await killOne();
      await delay(calmMs);
      const lags = (await allSchedules(store)).map(({ lastAt = 0 }) => Date.now() - lastAt);
      const failed = await end();
      const { wrong, ticks } = await judge(store);
      return { wrong: [...wrong, ...failed], ticks, latestLagMs: Math.max(...lags) };
    });
  } finally {
    await store.notifyAdapter?.close();
    await store.close();
  }
}

async function createAll({ stateAdapter }: OpenStore, count: number): Promise<void> {
  const client = createClient({ stateAdapter, jobTypes });
  const ids = Array.from({ length: count }, (_, index) => `every second ${index}`);
  await client.applySchedules({
    owner: "test",
    schedules: ids.map((id) => ({ id, typeName: "ticked", input: null, everyMs, missed: "all" as const })),
  });
}

async function allSchedules({ stateAdapter }: OpenStore): Promise<readonly ScheduleRecord[]> {
  const page = { after: undefined, limit: 1_000, order: "ascending" } as const;
  return (await stateAdapter.listSchedules(page, {})).schedules;
}

async function judge(store: OpenStore): Promise<{ readonly wrong: readonly string[]; readonly ticks: number }> {
  const wrong: string[] = [];
  let count = 0;
  for (const schedule of await allSchedules(store)) {
    const query = { scheduleIds: [schedule.id], before: undefined, limit: 100_000 };
    const ticks = await store.stateAdapter.listTicks(query, {});
    wrong.push(...judgeTicks({ schedule, ticks }, everyMs));
    count += ticks.length;
  }
  const jobs = await store.stateAdapter.count({});
  const chains = jobs.reduce((sum, each) => sum + each.count, 0);
  if (chains !== count) wrong.push(`there are ${chains} chains for ${count} ticks`);
  return { wrong, ticks: count };
}
