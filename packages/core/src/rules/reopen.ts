import type { ChainStatus } from "../model/status.ts";
import type { RetryItem } from "../ports/change.ts";
import type { JobRef, Refusal } from "../ports/reply.ts";
import { failureBecauseOf, type Effects } from "./end.ts";
import { rivalOf, takeKeyBack } from "./key.ts";
import { nothing, refOf } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";
import { beginWait, waitsAgain } from "./wait.ts";
import { begunFollowUps, withdraw } from "./withdraw.ts";

/*
 * How an ended chain becomes active again.
 *
 * A chain continues from the job that failed or was cancelled. It takes its deduplication key back; it cannot continue while another
 * chain holds that key. The jobs that failed because of it are blocked again, and so are, upwards, those that failed because of
 * their chains. A job stays failed if another of its blockers has failed too, which from now on is the reason for its failure,
 * if another chain holds the key of its chain, or if what undoes its chain has begun.
 */

export interface Reopened<Job, Chain> {
  readonly chain: Chain;
  readonly job: Job;
  /** What the chain was before. */
  readonly actual: ChainStatus;
  readonly blockersLeft: number;
  /** Until when it waits for signals. Undefined: it does not. */
  readonly waitsUntil: number | "forever" | undefined;
}

/** Makes a chain active again, whatever the status of its blockers. */
export function reopen<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chainId: id, input, version = 1, limits, typeName }: RetryItem,
  now: number,
): Reopened<Job, Chain> | Refusal {
  const chain = rows.chain(id);
  if (chain === undefined) return { code: "chain-not-found", id };
  const actual = rows.chainStatusOf(chain);
  if (actual === "active" || actual === "completed") return { code: "chain-not-retryable", id, actual };
  const job = rows.lastJob(chain);
  const actualType = rows.typeNameOf(job);
  if (typeName !== undefined && typeName !== actualType) return { code: "job-type-mismatch", id, actual: actualType };
  const begun = begunFollowUps(rows, chain);
  if (begun.length > 0) return { code: "chain-not-retryable", id, actual, references: begun };
  const rival = rivalOf(rows, chain, now);
  if (rival !== undefined) return { code: "chain-not-retryable", id, actual, references: [rival.id] };
  const blockersLeft = rows.blockersOf(job).open.length;
  const wait = rows.waitOf(job);
  const waits = waitsAgain(wait, now);
  const replaced = input === undefined ? { version: undefined, limits: undefined } : { version, limits };
  rows.reopenJob(job, { blockersLeft, input, ...replaced, dueAt: (waits ? wait.until : undefined) ?? now, waits });
  reopenChain(rows, chain, now);
  const isWaiting = waits && beginWait(rows, job, { chain, wait, now });
  return { chain, job, actual, blockersLeft, waitsUntil: isWaiting ? (wait.until ?? "forever") : undefined };
}

/** Blocks again what failed because of a chain that is active again. */
export function blockAgain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  reopened: Chain,
  { effects, now }: { readonly effects: RetryEffects; readonly now: number },
): readonly JobRef[] {
  if (!rows.isReferenced(reopened)) return nothing;
  const blocked: JobRef[] = [];
  const chains = [reopened];
  // Grows while it is walked: a loop and not a recursion, because the way up may be long.
  for (const next of chains) {
    for (const { job, endedAt } of rows.failedBecauseOf(next)) {
      const chain = rows.chainOf(job);
      if (rivalOf(rows, chain, now) !== undefined) continue;
      if (begunFollowUps(rows, chain).length > 0) continue;
      const { open } = rows.blockersOf(job);
      const failure = failureBecauseOf(rows, open, endedAt);
      if (failure !== undefined) {
        rows.blame(job, failure);
        continue;
      }
      const unchanged = { input: undefined, version: undefined, limits: undefined, dueAt: undefined, waits: false };
      rows.reopenJob(job, { blockersLeft: open.length, ...unchanged });
      reopenChain(rows, chain, now);
      addWithdrawn(rows, chain, { effects, now });
      blocked.push(refOf(rows, job));
      chains.push(chain);
    }
  }
  return blocked;
}

/** What a retry does to chains that followed those that are active again. */
export interface RetryEffects extends Effects {
  readonly withdrawn: JobRef[];
}

/** Cancels what followed a chain that is active again. */
export function addWithdrawn<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  { effects, now }: { readonly effects: RetryEffects; readonly now: number },
): void {
  if (rows.ends.of(chain) === undefined) return;
  const { failed, awaited, followUps, releasing } = withdraw(rows, { chain, withdrawn: effects.withdrawn, now });
  effects.failed.push(...failed);
  if (awaited !== undefined) (effects.awaited ??= []).push(...awaited);
  if (followUps !== undefined) (effects.followUps ??= []).push(...followUps);
  effects.releasing ||= releasing;
}

/** Ids of the blockers that would fail a chain again at once: those that failed or were cancelled and are not active again. */
export function brokenBlockers<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  job: Job,
): readonly string[] {
  const { onBlockerFailure, open } = rows.blockersOf(job);
  if (onBlockerFailure === "wait") return nothing;
  const broken = open.filter((blocker) => rows.chainStatusOf(blocker) !== "active");
  return broken.map(({ id }) => id).sort();
}

function reopenChain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): void {
  rows.reopenChain(chain, now);
  takeKeyBack(rows, chain, now);
}
