import type { RemoveReply, RemoveRequest, RetryItem, RetryReply } from "../ports/change.ts";
import type { Reply, WaitingJob } from "../ports/reply.ts";
import { createEffects } from "./end.ts";
import { addWithdrawn, blockAgain, brokenBlockers, reopen } from "./reopen.ts";
import type { Reopened, RetryEffects } from "./reopen.ts";
import { noConsequences, nothing, refused, waitingJob, waitingRef } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/* What callers may do to chains and jobs by their ids. Each call is all or nothing. */

/** A refusal names at most this many chains. */
const mostReferences = 100;

/** Makes scheduled jobs ready. */
export function trigger<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  jobIds: readonly string[],
  now: number,
): Reply<readonly WaitingJob[]> {
  const jobs: Job[] = [];
  for (const id of jobIds) {
    const job = rows.job(id);
    if (job === undefined) return refused({ code: "job-not-found", id });
    const actual = rows.jobStatusOf(job, now);
    if (actual !== "scheduled") return refused({ code: "job-not-scheduled", id, actual });
    const stopped = awaitedStop(rows, rows.chainOf(job));
    if (stopped !== undefined) return refused({ code: "job-not-scheduled", id, actual, references: [stopped.id] });
    jobs.push(job);
  }
  for (const job of jobs) rows.makeReady(job, now);
  return { ok: true, value: jobs.map((job) => waitingRef(rows, job)) };
}

/** The stopped chain that a chain follows which no worker has claimed yet: until it is ready it waits for the end of an attempt. */
function awaitedStop<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
): Chain | undefined {
  const stopped = rows.ends.followedBy(chain);
  if (stopped === undefined) return undefined;
  const link = rows.ends.followUpsOf(stopped).find(({ chainId }) => chainId === chain.id);
  return link?.row?.isClaimed === false ? stopped : undefined;
}

/**
 * Makes failed and cancelled chains active again. All of them are reopened before any consequence: one that failed because of another
 * is retried like it, and does not prevent the retry.
 */
export function retry<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly RetryItem[],
  now: number,
): Reply<readonly RetryReply[]> {
  return rows.allOrNothing(() => {
    const reopened: Reopened<Job, Chain>[] = [];
    for (const item of items) {
      const chain = reopen(rows, item, now);
      if ("code" in chain) return refused(chain);
      reopened.push(chain);
    }
    const value = reopened.map((each) => retried(rows, each, now));
    for (const { chain, job, actual } of reopened) {
      const references = brokenBlockers(rows, job);
      if (references.length > 0) return refused({ code: "chain-not-retryable", id: chain.id, actual, references });
    }
    return { ok: true, value };
  });
}

function retried<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, job, blockersLeft, waitsUntil }: Reopened<Job, Chain>,
  now: number,
): RetryReply {
  const status = waitsUntil !== undefined ? "waiting" : blockersLeft > 0 ? "blocked" : "ready";
  const dueInMs = typeof waitsUntil === "number" ? waitsUntil - now : undefined;
  const started = waitingJob(rows, job, { status, dueInMs });
  const effects: RetryEffects = { ...createEffects(), withdrawn: [] };
  addWithdrawn(rows, chain, { effects, now });
  const reblocked = blockAgain(rows, chain, { effects, now });
  if (effects.withdrawn.length === 0) return { job: started, ...noConsequences, reblocked };
  return { job: started, ...effects, reblocked };
}

/**
 * Deletes chains. Refused while a job that is not completed is blocked by one of them, because it still needs that chain's
 * output or a retry of it, and while a chain is active that the stop of one of them has started; with `cascade` such chains are deleted
 * too.
 */
export function remove<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chainIds, cascade }: RemoveRequest,
  now: number,
): Reply<readonly RemoveReply[]> {
  const chains = new Map<string, Chain>();
  for (const id of chainIds) {
    const chain = rows.chain(id);
    if (chain === undefined) return refused({ code: "chain-not-found", id });
    chains.set(id, chain);
  }
  // Grows while it is walked, by the chains that the cascade adds.
  for (const [id, chain] of chains) {
    const needing = [...rows.chainsBlockedBy(chain), ...followersOf(rows, chain)];
    const blocked = needing.filter((other) => !chains.has(other.id));
    if (cascade) for (const other of blocked) chains.set(other.id, other);
    else if (blocked.length > 0) {
      const references = blocked.slice(0, mostReferences).map((other) => other.id);
      return refused({ code: "chain-referenced", id, references });
    }
  }
  const value = Array.from(chains.values(), (chain) => removed(rows, chain, now));
  for (const chain of chains.values()) rows.remove(chain);
  return { ok: true, value };
}

function removed<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): RemoveReply {
  const job = rows.lastJob(chain);
  const workerId = rows.workerOf(job, now);
  const interrupted = workerId === undefined ? undefined : { jobId: job.id, workerId };
  return { chainId: chain.id, typeName: rows.typeNameOf(chain), interrupted };
}

/** The active chains that the stop of a chain has started. */
function followersOf<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, chain: Chain): readonly Chain[] {
  if (rows.ends.of(chain) === undefined) return nothing;
  const links = rows.ends.followUpsOf(chain);
  return links.flatMap(({ row }) => (row !== undefined && rows.chainStatusOf(row.chain) === "active" ? row.chain : []));
}
