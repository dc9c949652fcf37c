import type { CancelItem, CancelReply, Reply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import type { ChainHead } from "./chain-head.ts";
import type { EndChain } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";
import type { ChainFound, OpenJob } from "./find-job.ts";
import { createBudget } from "./releases.ts";

type Cancel = (items: readonly CancelItem[], now: number) => Reply<readonly CancelReply[]>;

export function createCancel(store: Store, endChain: EndChain): Cancel {
  const { tables: t } = store;
  const findJob = createFindJob(store);
  const readyOf = store.sql<Ready>(`select attempt, fence, leased_by, leased_until from ${t.ready} where job = ?`);
  const dropReady = store.sql(`delete from ${t.ready} where job = ?`);

  /** Ends the chain; answers what of the reply is known before anything follows from it. */
  const end = ({ chain, job, reason }: Cancelled, now: number): string | undefined => {
    const ready = readyOf.get(job.seq);
    dropReady.run(job.seq);
    const { attempt, fence } = ready ?? job;
    endChain.write({ ...cancelled, seq: job.seq, typeName: job.type, reason, attempt, fence }, chain.seq, now);
    return (ready?.leased_until ?? 0) > now ? (ready?.leased_by ?? undefined) : undefined;
  };

  return (items, now) => {
    const chains = new Map<number, Cancelled>();
    for (const { chainId: id, reason } of items) {
      const open = findJob.openJobOf(id);
      if ("refusal" in open) return { ok: false, refusal: open.refusal };
      if (chains.has(open.chain.seq)) {
        return { ok: false, refusal: { code: "chain-not-active", id, actual: "cancelled" } };
      }
      const head = endChain.head(open.chain.seq);
      chains.set(head.seq, { ...open, head, reason: reason ?? null });
    }
    // All of them end before anything follows: one that waits for another is cancelled like it, not failed by it.
    const ended = [...chains.values()].map((chain) => ({ ...chain, interrupted: end(chain, now) }));
    const call = { now, budget: createBudget() };
    const value = ended.map(({ head, job, interrupted }) => {
      const ref = { jobId: job.id, chainId: head.id, typeName: job.type };
      return { ...ref, ...endChain.follow(head, "cancelled", call), interrupted };
    });
    return { ok: true, value };
  };
}

/** What a cancelled job has of an end. */
const cancelled = {
  status: "cancelled",
  output: null,
  errors: null,
  cause: null,
  leasedBy: null,
  startedAt: null,
} as const;

interface Ready {
  readonly attempt: number;
  readonly fence: number;
  readonly leased_by: string | null;
  readonly leased_until: number | null;
}

interface Cancelled {
  readonly chain: ChainFound;
  readonly head: ChainHead;
  readonly job: OpenJob;
  readonly reason: string | null;
}
