import { noteState, type Changes } from "./changes.ts";
import { freeKey } from "./deduplication.ts";
import { setEnds } from "./ends.ts";
import { nothing } from "../rules/replies.ts";
import { removeNotes } from "./notes.ts";
import { chainOf, lastOf } from "./row-types.ts";
import { dropRelease } from "./releases.ts";
import type { JobRow } from "./row-types.ts";
import { noShared } from "./shared.ts";
import { removeSignals } from "./signals.ts";
import { byId } from "./sorted-rows.ts";
import { reconsider, removeRow } from "./store.ts";
import type { Store } from "./store.ts";
import { removeDependent, setBlocking } from "./insert-job.ts";

/** Deletes a chain with its jobs, and its traces in jobs that it has blocked. */
export function deleteChain(store: Store, chain: JobRow): void {
  dropRelease(store, chain);
  removeSignals(store, chain);
  if (chain.shared?.ends?.deadlineAt !== undefined)
    setEnds(store, chain, { ...chain.shared.ends, deadlineAt: undefined });
  if (chain.shared?.deduplication !== undefined) freeKey(store, chain.shared.deduplication);
  for (const row of chain.shared?.dependents ?? nothing) {
    if (row.status === "removed" || row.blocking === undefined) continue;
    const { blocking } = row;
    store.changes?.jobs.set(row, "whole");
    setBlocking(store, row, {
      ...blocking,
      chains: blocking.chains.map((other) => (other === chain ? undefined : other)),
    });
  }
  if (store.changes !== undefined) noteLinks(store.changes, chain);
  for (let row: JobRow | undefined = chain; row !== undefined; row = row.next) {
    for (const blocker of row.blocking?.chains ?? nothing) {
      if (blocker === undefined) continue;
      removeDependent(store, blocker, row);
      if (store.needed.moments.has(lastOf(blocker))) reconsider(store, lastOf(blocker));
    }
    removeNotes(store, row);
    removeRow(store, row);
  }
}

/** What refers to a chain that is deleted is written again, because another chain may get its id. */
function noteLinks(changes: Changes, chain: JobRow): void {
  const { follows, ends } = chain.shared ?? noShared;
  if (follows !== undefined) noteState(changes, follows);
  for (const { chain: followUp } of ends?.followUps ?? nothing) noteState(changes, followUp);
  for (let row: JobRow | undefined = chain; row !== undefined; row = row.next)
    for (const own of row.blocking?.own ?? nothing) noteState(changes, own);
}

/** The chains with a job that a chain blocks and that is not completed: it has to stay for them. In the order of their ids. */
export function chainsBlockedBy(chain: JobRow): JobRow[] {
  const held = new Set<JobRow>();
  for (const row of chain.shared?.dependents ?? nothing) if (row.status !== "completed") held.add(chainOf(row));
  return [...held].sort(byId);
}
