import { blockerFailureErrors, type JobRef, type StartedJob } from "chainwright/adapter";
import { corruptError } from "../errors.ts";
import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";
import type { ChainHead } from "./chain-head.ts";
import { createDeduplication } from "./deduplication.ts";
import { createExpiry } from "./expiry.ts";
import { createReleaseDependent, refOf } from "./release-dependent.ts";
import type { Dependent } from "./release-dependent.ts";
import { createBudget, createReleases } from "./releases.ts";
import type { Budget, Release } from "./releases.ts";

/** A job that ends its chain, and how. */
export interface ChainEnd {
  readonly seq: number;
  readonly typeName: string;
  readonly status: EndedStatus;
  /** JSON text. */
  readonly output: string | null;
  /** JSON text; null: what is on record stays. */
  readonly errors: string | null;
  readonly reason: string | null;
  /** The chain whose end brought this one about. */
  readonly cause: number | null;
  readonly attempt: number;
  readonly fence: number;
  readonly leasedBy: string | null;
  readonly startedAt: number | null;
}

/** What followed; filled as it happens. */
export interface Aftermath {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  readonly reblocked: JobRef[];
  releasing: boolean;
}

/** What the ends of one call share. */
export interface EndCall {
  readonly now: number;
  readonly budget: Budget;
}

export interface EndChain {
  head(chain: number): ChainHead;
  /** Ends the job and its chain. */
  write(job: ChainEnd, chain: number, now: number): void;
  /**
   * What follows from a chain's end: its key is free, what waits for it is counted down or fails, and so on upwards, as far
   * as the budget goes.
   */
  follow(head: ChainHead, status: EndedStatus, call: EndCall): Aftermath;
  /** Both. */
  end(job: ChainEnd, head: ChainHead, call: EndCall): Aftermath;
  /** The same for a job that was written as failed: the chain only. */
  endFailed(head: ChainHead, job: number, call: EndCall): Aftermath;
  /** One more step of what earlier ends have left. */
  carryOn(now: number): Aftermath;
}

export const nothingFollowed = (): Aftermath => ({ unblocked: [], failed: [], reblocked: [], releasing: false });

/** `returning` would spare statements and cost more than they do: 1.4 us here, against 1 us for a read. */
function statementsOf({ tables: t, sql }: Store) {
  const endJob = `status = ?, output = ?, errors = coalesce(?, errors), cause = ?, attempt = ?, fence = ?,
       leased_by = ?, started_at = ?, ended_at = ?`;
  const endsChain = `chain_status = ?, chain_ended_at = ?, ended_job = ?, reason = ?`;
  return {
    endOnly: sql(`update ${t.job} set ${endJob}, ${endsChain} where seq = ?`),
    endLast: sql(`update ${t.job} set ${endJob} where seq = ?`),
    endFirst: sql(`update ${t.job} set ${endsChain} where seq = ?`),
    readHead: sql<ChainHead>(`select seq, id, type, awaited, dedup_key, dedup_scope from ${t.job} where seq = ?`),
  };
}

export function createEndChain(store: Store): EndChain {
  const { tally } = store;
  const { free } = createDeduplication(store);
  const { endOnly, endLast, endFirst, readHead } = statementsOf(store);
  const releases = createReleases(store);
  const release = createReleaseDependent(store);
  const expiry = createExpiry(store);

  const head = (chain: number): ChainHead => {
    const row = readHead.get(chain);
    if (row === undefined) throw corruptError(`the first job of chain ${chain} is missing`);
    return row;
  };

  const write = (job: ChainEnd, chain: number, now: number): void => {
    const { seq, status } = job;
    tally.add(job.typeName, status, 1);
    const { output, errors, cause, attempt, fence, leasedBy, startedAt } = job;
    const ofJob = [status, output, errors, cause, attempt, fence, leasedBy, startedAt, now] as const;
    if (seq === chain) {
      endOnly.run(...ofJob, status, now, seq, job.reason, seq);
    } else {
      endLast.run(...ofJob, seq);
      endFirst.run(status, now, seq, job.reason, chain);
    }
    if (status !== "completed") expiry.note(chain, status, now);
  };

  const freeKey = (chain: ChainHead): void => {
    if (chain.dedup_key !== null && chain.dedup_scope === "active") free(chain.dedup_key, chain.seq);
  };

  const followAll = (queue: Release[], { now, budget }: EndCall, aftermath: Aftermath): Aftermath => {
    // Grows while it is walked: a list and not a recursion, because the row of dependents may be long.
    for (const next of queue) {
      const { chain, status } = next;
      if (chain.awaited === null) continue;
      const { waiting, releasing } = releases.step(next, budget);
      for (const job of waiting) {
        if (status === "completed") release(job, now, aftermath.unblocked);
        else if (job.on_blocker_failure === "fail") {
          const errors = blockerFailureErrors({ chainId: chain.id, typeName: chain.type, status, at: now });
          write(failedBy(job, chain.seq, errors), job.chain, now);
          aftermath.failed.push(refOf(job));
          const failed = head(job.chain);
          freeKey(failed);
          queue.push({ chain: failed, status: "failed", from: 0 });
        }
      }
      aftermath.releasing ||= releasing;
    }
    return aftermath;
  };

  const follow = (chain: ChainHead, status: EndedStatus, call: EndCall): Aftermath => {
    freeKey(chain);
    return followAll([{ chain, status, from: 0 }], call, nothingFollowed());
  };

  const carryOn = (now: number): Aftermath => {
    const aftermath = nothingFollowed();
    if (releases.isEmpty()) return aftermath;
    const call = { now, budget: createBudget() };
    for (let next = releases.take(); next !== undefined; next = call.budget.left > 0 ? releases.take() : undefined) {
      followAll([next], call, aftermath);
    }
    return { ...aftermath, releasing: !releases.isEmpty() };
  };

  return {
    head,
    write,
    follow,
    carryOn,
    end: (job, chain, call) => {
      write(job, chain.seq, call.now);
      return follow(chain, job.status, call);
    },
    endFailed: (chain, job, call) => {
      endFirst.run("failed", call.now, job, null, chain.seq);
      expiry.note(chain.seq, "failed", call.now);
      return follow(chain, "failed", call);
    },
  };
}

function failedBy(job: Dependent, cause: number, errors: string): ChainEnd {
  return {
    seq: job.seq,
    typeName: job.type,
    status: "failed",
    output: null,
    errors,
    reason: null,
    cause,
    attempt: job.attempt,
    fence: job.fence,
    leasedBy: null,
    startedAt: null,
  };
}
