import type { Consequences, JobRef, StartedJob } from "../ports/state.ts";
import { freeKeyAtEnd } from "./deduplication.ts";
import { noConsequences, nothing, toJobRef, toStartedJob } from "./records.ts";
import { keepRelease, releaseOf, takeReleases } from "./releases.ts";
import { chainOf, chainStatusOf } from "./rows.ts";
import type { JobRow, Release } from "./rows.ts";
import { byId } from "./sorted-rows.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";
import { failWith } from "./write-job.ts";

/** How many waiting jobs one call still looks at. What is beyond that follows in later exchanges. */
export interface Budget {
  left: number;
}

/** 500 take about a millisecond. */
const mostAtOnce = 500;

export function createBudget(): Budget {
  return { left: mostAtOnce };
}

/** What follows from a chain's end: its key is free, jobs that wait for it are counted down or fail, and so on upwards. */
export function followEnd(store: Store, ended: JobRow, budget: Budget, now: number): Consequences {
  if (ended.shared === undefined) return noConsequences;
  freeKeyAtEnd(store, ended);
  const release = releaseOf(store, ended);
  return release === undefined ? noConsequences : follow(store, [release], budget, now);
}

/** One more step of what earlier ends have left. */
export function carryOn(store: Store, now: number): Consequences {
  if (store.releases.size === 0) return noConsequences;
  const budget = createBudget();
  const consequences = follow(store, takeReleases(store, budget.left), budget, now);
  return { ...consequences, releasing: store.releases.size > 0 };
}

interface Effects extends Consequences {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
}

function follow(store: Store, queue: Release[], budget: Budget, now: number): Consequences {
  const effects: Effects = { unblocked: [], failed: [], reblocked: nothing, releasing: false };
  let releasing = false;
  // Grows while it is walked: a chain that fails has jobs waiting for it, too. A loop, because the way up may be long.
  for (const release of queue) {
    const { chain, rows } = release;
    const at = Math.min(rows.length, release.at + budget.left);
    budget.left -= at - release.at;
    const completed = chainStatusOf(chain) === "completed";
    for (const row of waitingAmong(rows.slice(release.at, at), release)) {
      if (completed) countDown(store, row, effects, now);
      else if (row.onBlockerFailure === "fail") failBlocked(store, row, { chain, effects, queue, now });
    }
    if (at === rows.length) continue;
    keepRelease(store, { ...release, at });
    releasing = true;
  }
  return { ...effects, releasing };
}

/** Those that still wait for the chain, in the order of their ids. */
function waitingAmong(rows: readonly JobRow[], { since }: Release): JobRow[] {
  const waiting: JobRow[] = [];
  for (const row of rows) if (row.status === "blocked" && (row.blocking?.countedAt ?? 0) <= since) waiting.push(row);
  return waiting.length > 1 ? waiting.sort(byId) : waiting;
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

interface Failing {
  /** The chain whose end is the cause. */
  readonly chain: JobRow;
  readonly effects: Effects;
  readonly queue: Release[];
  readonly now: number;
}

/** Adds what its chain has to release to the queue. */
function failBlocked(store: Store, row: JobRow, { chain, effects, queue, now }: Failing): void {
  leave(store, row);
  failWith(row, chain, now);
  enter(store, row);
  effects.failed.push(toJobRef(row));
  freeKeyAtEnd(store, chainOf(row));
  const release = releaseOf(store, chainOf(row));
  if (release !== undefined) queue.push(release);
}
