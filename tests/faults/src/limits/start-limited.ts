import { createClient } from "chainwright";
import { countOpen } from "../kills/open-jobs.ts";
import type { OpenStore } from "../store/open-store.ts";
import { limitedJobTypes as jobTypes, limits } from "./job-types.ts";

/** Keeps this many jobs open, in batches, so that every kill meets some. */
const mostOpen = 1_000;
const batch = 250;
/** Every other job has one of these keys, so that jobs wait for each other. */
const hotKeys = 20;
/** Of the types whose keys all jobs of a few seconds share. */
const fewKeys = 3;

export type LimitedClient = ReturnType<typeof openLimitedClient>;

export function openLimitedClient({ stateAdapter, notifyAdapter }: OpenStore) {
  return createClient({ stateAdapter, notifyAdapter, jobTypes, limits: [limits], observers: [] });
}

/** Starts a job of each key. */
export async function startEach(client: LimitedClient, keys: number): Promise<number> {
  const all = Array.from({ length: keys }, (_, index) => `key ${index}`);
  for (let from = 0; from < keys; from += batch)
    await client.startChains({
      items: all.slice(from, from + batch).map((key) => ({ typeName: "alone", input: { key, failures: 0 } }) as const),
    });
  return keys;
}

/** Starts jobs of any keys if few are open, and returns how many. */
export async function startMore(client: LimitedClient, keys: number): Promise<number> {
  if ((await countOpen(client)) > mostOpen) return 0;
  await client.startChains({ items: Array.from({ length: batch }, () => anyStart(keys)) });
  return batch;
}

function anyStart(keys: number) {
  const chance = Math.random();
  const fewKey = `key ${anyBelow(fewKeys)}`;
  if (chance < 0.05) return { typeName: "rated", input: { key: fewKey, failures: 0 } } as const;
  if (chance < 0.1) return { typeName: "broken", input: { key: fewKey, failures: anyBelow(3) } } as const;
  const key = `key ${anyBelow(Math.random() < 0.5 ? hotKeys : keys)}`;
  if (chance < 0.35) return { typeName: "held", input: { key, failures: anyBelow(2) } } as const;
  return { typeName: "alone", input: { key, failures: 0 } } as const;
}

const anyBelow = (count: number) => Math.floor(Math.random() * count);
