import { fileURLToPath } from "node:url";
import { createClient, isChainwrightError } from "chainwright";
import { countOpen, untilAllEnded } from "../kills/open-jobs.ts";
import { withKilledProcesses } from "../kills/with-killed-processes.ts";
import type { OpenStore, StorePlace } from "../store/open-store.ts";
import { examineStore, openStore, prepareStore } from "../store/place.ts";
import { batchJobTypes as jobTypes } from "./job-types.ts";
import { judgeRows } from "./judge-rows.ts";

/** Processes that work on jobs in batches, and how many of them are killed. */
export interface BatchKills {
  readonly place: StorePlace;
  readonly processes: number;
  readonly kills: number;
}

/** What was found. */
export interface BatchReport {
  readonly wrong: readonly string[];
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Rows that were written by a later attempt than the first: no handler throws, so the earlier one was killed. */
  readonly afterKills: number;
}

/** Jobs that are started for each kill, unless many are open. */
const started = 200;
const mostOpen = 1_000;
/** The longest that the rest of the jobs may take after the last kill. */
const longestRestMs = 120_000;
const path = fileURLToPath(new URL("batch-process.ts", import.meta.url));

type BatchClient = ReturnType<typeof openClient>;

/** Kills processes at work, one after the other, each replaced by a new one. Then lets the rest finish the jobs, and judges them. */
export async function killBatches({ place, processes, kills }: BatchKills): Promise<BatchReport> {
  await prepareStore(place);
  const store = openStore(place);
  const client = openClient(store);
  try {
    return await withKilledProcesses({ path, place, processes }, async ({ killMany, end }) => {
      await killMany({
        kills,
        giveWork: () => startAndCancel(client),
        hasMet: async () => (await judge(place)).afterKills > 0,
      });
      const left = await untilAllEnded(client, longestRestMs);
      const failed = await end();
      const { findings } = await client.doctor();
      const report = await judge(place);
      const wrong = [
        ...report.wrong,
        ...failed,
        ...(left > 0 ? [`${left} jobs have not ended after ${longestRestMs} ms`] : []),
        ...findings.map(({ kind, problem }) => `the doctor found ${kind}: ${problem}`),
      ];
      return { ...report, wrong: wrong.slice(0, 20) };
    });
  } finally {
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
  }
}

function openClient({ stateAdapter, notifyAdapter }: OpenStore) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [] });
}

/** Starts jobs, and cancels some that may be in a batch: its transaction rolls back and runs again without them. */
async function startAndCancel(client: BatchClient): Promise<void> {
  if ((await countOpen(client)) > mostOpen) return;
  const items = Array.from({ length: started }, () => {
    return { typeName: "row.write", input: { fails: Math.random() < 0.02 } } as const;
  });
  const chains = await client.startChains({ items });
  for (const { id } of chains.filter(() => Math.random() < 0.05)) {
    try {
      await client.cancelChain({ id, reason: "for the test" });
    } catch (error) {
      // It has ended by now.
      if (!isChainwrightError(error, "chain-not-active")) throw error;
    }
  }
}

async function judge(place: StorePlace): Promise<BatchReport> {
  const examiner = await examineStore(place);
  const jobs = (await examiner.rows("select id, status from fault_job")).map(([id, status]) => {
    return { id: String(id), status: String(status) };
  });
  const rows = await examiner.rows("select job_id, attempt from fault_effect");
  await examiner.close();
  const count = (status: string) => jobs.filter((job) => job.status === status).length;
  return {
    wrong: judgeRows(
      jobs,
      rows.map(([id]) => String(id)),
    ),
    completed: count("completed"),
    failed: count("failed"),
    cancelled: count("cancelled"),
    afterKills: rows.filter(([, attempt]) => Number(attempt) > 1).length,
  };
}
