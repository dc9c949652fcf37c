import type { ChainStatus } from "../model/status.ts";
import type { RetryItem } from "../ports/change.ts";
import type { JobRef, Refusal } from "../ports/reply.ts";
import { failureBecauseOf } from "./end.ts";
import { rivalOf, takeKeyBack } from "./key.ts";
import { nothing, refOf } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * How an ended chain becomes active again.
 *
 * A chain continues from the job that failed or was cancelled. It takes its deduplication key back; it cannot continue while another
 * chain holds that key. The jobs that failed because of it are blocked again, and so are, upwards, those that failed because of
 * their chains. A job stays failed if another of its blockers has failed too, which from now on is the reason for its failure,
 * or if another chain holds the key of its chain.
 */

export interface Reopened<Job, Chain> {
  readonly chain: Chain;
  readonly job: Job;
  /** What the chain was before. */
  readonly actual: ChainStatus;
  readonly blockersLeft: number;
}

/** Makes a chain active again, whatever the status of its blockers. */
export function reopen<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chainId: id, input, version = 1, typeName }: RetryItem,
  now: number,
): Reopened<Job, Chain> | Refusal {
  const chain = rows.chain(id);
  if (chain === undefined) return { code: "chain-not-found", id };
  const actual = rows.chainStatusOf(chain);
  if (actual === "active" || actual === "completed") return { code: "chain-not-retryable", id, actual };
  const job = rows.lastJob(chain);
  const actualType = rows.typeNameOf(job);
  if (typeName !== undefined && typeName !== actualType) return { code: "job-type-mismatch", id, actual: actualType };
  const rival = rivalOf(rows, chain, now);
  if (rival !== undefined) return { code: "chain-not-retryable", id, actual, references: [rival.id] };
  const blockersLeft = rows.blockersOf(job).open.length;
  rows.reopenJob(job, { blockersLeft, input, version: input === undefined ? undefined : version, dueAt: now });
  reopenChain(rows, chain, now);
  return { chain, job, actual, blockersLeft };
}

/** Blocks again what failed because of a chain that is active again. */
export function blockAgain<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  reopened: Chain,
  now: number,
): readonly JobRef[] {
  if (!rows.isReferenced(reopened)) return nothing;
  const blocked: JobRef[] = [];
  const chains = [reopened];
  // Grows while it is walked: a loop and not a recursion, because the way up may be long.
  for (const next of chains) {
    for (const { job, endedAt } of rows.failedBecauseOf(next)) {
      const chain = rows.chainOf(job);
      if (rivalOf(rows, chain, now) !== undefined) continue;
      const { open } = rows.blockersOf(job);
      const failure = failureBecauseOf(rows, open, endedAt);
      if (failure !== undefined) {
        rows.blame(job, failure);
        continue;
      }
      rows.reopenJob(job, { blockersLeft: open.length, input: undefined, version: undefined, dueAt: undefined });
      reopenChain(rows, chain, now);
      blocked.push(refOf(rows, job));
      chains.push(chain);
    }
  }
  return blocked;
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
