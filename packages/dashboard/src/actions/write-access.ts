import type { ErasedClient } from "chainwright/adapter";
import type { DashboardClock } from "../clock.ts";
import { readOnlyReason } from "./read-only.ts";

/** Returns why the database takes no writes; undefined if it takes them, or does not say so soon. */
export type WriteAccess = () => Promise<string | undefined>;

/** Whether writes are possible changes seldom: with a failover, or a grant. */
const keptMs = 30_000;
/** A page is not held back by a database that is slow to refuse. */
const mostWaitMs = 1_000;

/** Asks the database by a write that is rolled back, at most every 30 seconds for all readers. */
export function createWriteAccess(client: ErasedClient, clock: DashboardClock): WriteAccess {
  let last: { readonly at: number; readonly reason: Promise<string | undefined> } | undefined;
  return async () => {
    const now = clock.now();
    if (last === undefined || now - last.at >= keptMs) last = { at: now, reason: refusalOfAWrite(client, clock) };
    return await last.reason;
  };
}

async function refusalOfAWrite(client: ErasedClient, clock: DashboardClock): Promise<string | undefined> {
  const tried = pauseForNoTime(client).then(() => undefined, readOnlyReason);
  let cancelTimer = (): void => undefined;
  const waited = new Promise<undefined>((resolve) => {
    const timer = clock.setTimer(() => resolve(undefined), mostWaitMs);
    cancelTimer = () => timer.cancel();
  });
  return await Promise.race([tried, waited]).finally(cancelTimer);
}

/** Pauses the type of the newest chain in a transaction that is rolled back. Without a chain there is nothing to act on. */
async function pauseForNoTime(client: ErasedClient): Promise<void> {
  const [chain] = (await client.listChains({ limit: 1 })).items;
  if (chain === undefined) return;
  await client.transaction(async (tx) => {
    await client.pauseJobTypes({ typeNames: [chain.typeName], tx });
    throw new Error("this write is rolled back");
  });
}
