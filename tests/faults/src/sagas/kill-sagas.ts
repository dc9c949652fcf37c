import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createClient, isChainwrightError } from "chainwright";
import { withKilledProcesses } from "../kills/with-killed-processes.ts";
import { countOpen, untilAllEnded } from "../kills/open-jobs.ts";
import { openStore, prepareStore } from "../store/place.ts";
import type { OpenStore, StorePlace } from "../store/open-store.ts";
import { effectsOf } from "./effects.ts";
import { judgeSagas, type SagaEnd } from "./judge-sagas.ts";
import { sagaJobTypes as jobTypes, type Saga } from "./job-types.ts";

/** Processes that work on sagas, and how many of them are killed. */
export interface SagaKills {
  readonly place: StorePlace;
  readonly processes: number;
  readonly kills: number;
}

/** What was found. */
export interface SagaReport {
  readonly wrong: readonly string[];
  readonly sagas: Readonly<Record<SagaEnd["status"], number>>;
  readonly done: number;
  readonly undone: number;
}

/** Sagas that are started for each kill, and how many of them are cancelled soon. */
const batch = 10;
const mostOpen = 400;
/** The longest that the rest of the jobs may take after the last kill. */
const longestRestMs = 120_000;
const path = fileURLToPath(new URL("saga-process.ts", import.meta.url));

type SagaClient = ReturnType<typeof openClient>;

/** Kills processes at work, one after the other, each replaced by a new one. Then lets the rest finish the jobs, and judges them. */
export async function killSagas({ place, processes, kills }: SagaKills): Promise<SagaReport> {
  await prepareStore(place);
  const store = openStore(place);
  const client = openClient(store);
  const effects = effectsOf(place);
  try {
    return await withKilledProcesses({ path, place, processes }, async ({ killOne, end }) => {
      for (let killed = 0; killed < kills; killed += 1) {
        await startAndCancel(client);
        await killOne();
      }
      const left = await untilAllEnded(client, longestRestMs);
      const failed = await end();
      const sagas = await readSagas(client);
      const { findings } = await client.doctor();
      const all = effects.read();
      const wrong = [
        ...judgeSagas(sagas, all),
        ...failed,
        ...(left > 0 ? [`${left} jobs have not ended after ${longestRestMs} ms`] : []),
        ...findings.map(({ kind, problem }) => `the doctor found ${kind}: ${problem}`),
      ];
      const count = (status: SagaEnd["status"]) => sagas.filter((saga) => saga.status === status).length;
      return {
        wrong: wrong.slice(0, 20),
        sagas: {
          active: count("active"),
          completed: count("completed"),
          failed: count("failed"),
          cancelled: count("cancelled"),
        },
        done: all.filter(({ what }) => what === "done").length,
        undone: all.filter(({ what }) => what === "undone").length,
      };
    });
  } finally {
    effects.remove();
    await client.close();
    await store.notifyAdapter?.close();
    await store.close();
  }
}

function openClient({ stateAdapter, notifyAdapter }: OpenStore) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [] });
}

/** Starts sagas if few jobs are open, some with a deadline, and cancels some of those that are active. */
async function startAndCancel(client: SagaClient): Promise<void> {
  if ((await countOpen(client)) < mostOpen) await client.startChains({ items: Array.from({ length: batch }, anySaga) });
  const { items } = await client.listChains({ typeName: "saga.begin", status: "active", limit: 50 });
  for (const { id } of items.filter(() => Math.random() < 0.1)) {
    try {
      await client.cancelChain({ id, reason: "for the test" });
    } catch (error) {
      // It has ended by now.
      if (!isChainwrightError(error, "chain-not-active")) throw error;
    }
  }
}

function anySaga() {
  const lastStep = 1 + Math.floor(Math.random() * 4);
  const input: Saga = {
    saga: randomUUID(),
    step: 0,
    lastStep,
    failsAt: Math.random() < 0.3 ? Math.floor(Math.random() * (lastStep + 1)) : undefined,
    items: Math.floor(Math.random() * 3),
    itemFails: Math.random() < 0.1,
  };
  const deadline = Math.random() < 0.2 ? { afterMs: 200 + Math.random() * 1_500 } : undefined;
  return { typeName: "saga.begin", input, whenStopped: "saga.tell", deadline } as const;
}

async function readSagas(client: SagaClient): Promise<readonly SagaEnd[]> {
  const sagas: SagaEnd[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listChains({ typeName: "saga.begin", cursor, limit: 200 });
    sagas.push(...page.items.map(({ input, status }) => ({ saga: input.saga, status })));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sagas;
}
