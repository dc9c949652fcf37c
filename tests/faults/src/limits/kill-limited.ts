import { fileURLToPath } from "node:url";
import { withKilledProcesses } from "../kills/with-killed-processes.ts";
import { untilAllEnded } from "../kills/open-jobs.ts";
import { openStore, prepareStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { countMet, judgeLimited, type LimitedReport } from "./judge-limited.ts";
import { openLimitedClient, startEach, startMore } from "./start-limited.ts";
import { prepareWitness } from "./witness.ts";

/** Processes that work on jobs under limits, how many of them are killed, and how many keys there are. */
export interface LimitedKills {
  readonly place: StorePlace;
  readonly processes: number;
  readonly keys: number;
  readonly kills: number;
}

/** The longest that the rest of the jobs may take after the last kill. */
const longestRestMs = 120_000;
const path = fileURLToPath(new URL("limited-process.ts", import.meta.url));

/** Kills processes at work, one after the other, each replaced by a new one. Then lets the rest finish the jobs, and judges them. */
export async function killLimited({ place, processes, keys, kills }: LimitedKills): Promise<LimitedReport> {
  await prepareStore(place);
  await prepareWitness(place);
  const store = openStore(place);
  const client = openLimitedClient(store);
  try {
    let started = await startEach(client, keys);
    return await withKilledProcesses({ path, place, processes }, async ({ killMany, end }) => {
      await killMany({
        kills,
        giveWork: async () => {
          started += await startMore(client, keys);
        },
        hasMet: async () => {
          const { takeOvers, openings } = await countMet(place);
          return takeOvers > 0 && openings > 0;
        },
      });
      const left = await untilAllEnded(client, longestRestMs);
      const failed = await end();
      const report = await judgeLimited({ place, client, started });
      const late = left > 0 ? [`${left} jobs have not ended after ${longestRestMs} ms`] : [];
      return { ...report, wrong: [...report.wrong, ...late, ...failed] };
    });
  } finally {
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
  }
}
