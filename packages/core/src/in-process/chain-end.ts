import type { Consequences, JobRef, StartedJob } from "../ports/state.ts";
import { freeKeyAtEnd } from "./deduplication.ts";
import { noConsequences, nothing, toJobRef, toStartedJob } from "./records.ts";
import { chainOf, chainStatusOf, lastOf } from "./rows.ts";
import type { JobRow } from "./rows.ts";
import { byId } from "./sorted-rows.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";
import { failWith } from "./write-job.ts";

/** What follows from a chain's end: its key is free, jobs that wait for it are counted down or fail, and so on upwards. */
export function followEnd(store: Store, ended: JobRow, now: number): Consequences {
  if (ended.shared === undefined) return noConsequences;
  freeKeyAtEnd(store, ended);
  if (ended.shared.dependents === undefined) return noConsequences;
  const effects: Effects = { unblocked: [], failed: [], reblocked: nothing };
  const ends = [ended];
  // Grows while it is walked: a loop, for the way up may be long.
  for (const chain of ends) {
    const completed = chainStatusOf(chain) === "completed";
    for (const row of waitingFor(chain)) {
      if (completed) countDown(store, row, effects, now);
      else if (row.onBlockerFailure === "fail") ends.push(failBlocked(store, row, chain, now));
    }
  }
  for (const chain of ends) if (chain !== ended) effects.failed.push(toJobRef(lastOf(chain)));
  return effects;
}

interface Effects extends Consequences {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
}

/** The blocked jobs that have a chain among their blockers, in the order of their ids. */
function waitingFor(chain: JobRow): JobRow[] {
  const rows: JobRow[] = [];
  for (const row of chain.shared?.dependents ?? nothing) if (row.status === "blocked") rows.push(row);
  return rows.length > 1 ? rows.sort(byId) : rows;
}

function countDown(store: Store, row: JobRow, { unblocked }: Effects, now: number): void {
  const { blocking } = row;
  if (blocking === undefined) return;
  leave(store, row);
  const left = blocking.left - 1;
  row.blocking = { ...blocking, left };
  if (left === 0) {
    row.status = row.readyAt > now ? "scheduled" : "ready";
    if (row.readyAt < now) row.readyAt = now;
  }
  enter(store, row);
  if (left === 0) unblocked.push(toStartedJob(row, now));
}

/** Answers the chain that fails with it. */
function failBlocked(store: Store, row: JobRow, cause: JobRow, now: number): JobRow {
  leave(store, row);
  failWith(row, cause, now);
  enter(store, row);
  freeKeyAtEnd(store, chainOf(row));
  return chainOf(row);
}
