import type { JobRef } from "../ports/state.ts";
import { hasPassed, holderOf, takeKey } from "./deduplication.ts";
import { nothing, toJobRef } from "./records.ts";
import { brokenAmong, chainOf, openBlockers } from "./rows.ts";
import { dropRelease } from "./releases.ts";
import type { Blocking, JobRow } from "./rows.ts";
import { byId } from "./sorted-rows.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";
import { failWith, setReason } from "./write-job.ts";

/** Makes the job where a chain stopped, and so the chain, active again. */
export function reopen(store: Store, row: JobRow, input: string | undefined, now: number): void {
  const left = openBlockers(row.blocking?.chains ?? nothing).length;
  leave(store, row);
  row.status = left > 0 ? "blocked" : "ready";
  row.attempt = 0;
  row.input = input ?? row.input;
  row.readyAt = now;
  row.lease = undefined;
  row.endedAt = undefined;
  row.blocking = row.blocking && countedAnew(store, row.blocking, left);
  enter(store, row);
  reopenChain(store, chainOf(row), now);
}

/** Blocks again, however far up, what had failed because of a chain that is active again. */
export function reblock(store: Store, reopened: JobRow, now: number): readonly JobRef[] {
  if (reopened.shared?.dependents === undefined) return nothing;
  const reblocked: JobRef[] = [];
  const chains = [reopened];
  // Grows while it is walked: a loop, for the way up may be long.
  for (const chain of chains) {
    for (const row of failedWith(chain)) {
      if (!blockAgain(store, row, now)) continue;
      reblocked.push(toJobRef(row));
      chains.push(chainOf(row));
    }
  }
  return reblocked;
}

/** Another chain that has taken the deduplication key of an ended one meanwhile. */
export function rivalOf(store: Store, chain: JobRow, now: number): JobRow | undefined {
  const own = chain.shared?.deduplication;
  if (own === undefined || hasPassed(own, now)) return undefined;
  const holder = holderOf(store, own.key, now);
  return holder === undefined || holder === own ? undefined : holder.chain;
}

/** The jobs that a chain made fail, in the order of their ids. */
function failedWith(chain: JobRow): JobRow[] {
  const rows: JobRow[] = [];
  for (const row of chain.shared?.dependents ?? nothing) {
    if (row.status === "failed" && row.blocking?.cause === chain) rows.push(row);
  }
  return rows.sort(byId);
}

/** It stays failed while another blocker stands in its way, or another chain has its deduplication key. */
function blockAgain(store: Store, row: JobRow, now: number): boolean {
  if (row.blocking === undefined || rivalOf(store, chainOf(row), now) !== undefined) return false;
  const open = openBlockers(row.blocking.chains);
  const broken = brokenAmong(open);
  leave(store, row);
  if (broken === undefined) {
    row.status = "blocked";
    row.endedAt = undefined;
    row.blocking = countedAnew(store, row.blocking, open.length);
  } else {
    failWith(row, broken, row.endedAt ?? now);
  }
  enter(store, row);
  if (broken === undefined) reopenChain(store, chainOf(row), now);
  return broken === undefined;
}

/** A blocker that completed before is not among those left, also where its release has not come to this job yet. */
function countedAnew(store: Store, blocking: Blocking, left: number): Blocking {
  store.sequence += 1;
  return { ...blocking, left, countedAt: store.sequence, cause: undefined };
}

function reopenChain(store: Store, chain: JobRow, now: number): void {
  if (chain.shared === undefined) return;
  dropRelease(store, chain);
  setReason(store, chain, undefined);
  const { deduplication } = chain.shared;
  if (deduplication === undefined || hasPassed(deduplication, now)) return;
  if (holderOf(store, deduplication.key, now) === undefined) takeKey(store, deduplication);
}
