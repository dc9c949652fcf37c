import type { CancelItem, CancelReply, Refusal, Reply } from "chainwright";
import type { Store } from "../store.ts";
import type { EndChain } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";

type Cancel = (items: readonly CancelItem[], now: number) => Reply<readonly CancelReply[]>;

export function createCancel(store: Store, endChain: EndChain): Cancel {
  const { tables: t } = store;
  const findJob = createFindJob(store);
  const readyOf = store.sql<{ attempt: number; leased_by: string | null; leased_until: number | null }>(
    `select attempt, leased_by, leased_until from ${t.ready} where job = ?`,
  );
  const dropReady = store.sql(`delete from ${t.ready} where job = ?`);

  const cancelOne = ({ chainId, reason }: CancelItem, now: number): { readonly refusal: Refusal } | CancelReply => {
    const open = findJob.openJobOf(chainId);
    if ("refusal" in open) return open;
    const { chain, job } = open;
    const ready = readyOf.get(job.seq);
    dropReady.run(job.seq);
    const running = (ready?.leased_until ?? 0) > now;
    const aftermath = endChain.end(
      {
        seq: job.seq,
        typeName: job.type,
        status: "cancelled",
        output: null,
        errors: null,
        reason: reason ?? null,
        cause: null,
        attempt: ready?.attempt ?? job.attempt,
        leasedBy: null,
        startedAt: null,
      },
      endChain.head(chain.seq),
      now,
    );
    const ref = { jobId: job.id, chainId: chain.id, typeName: job.type };
    return { ...ref, ...aftermath, interrupted: running ? (ready?.leased_by ?? undefined) : undefined };
  };

  const cancel = (items: readonly CancelItem[], now: number): Reply<readonly CancelReply[]> => {
    const value: CancelReply[] = [];
    for (const item of items) {
      const cancelled = cancelOne(item, now);
      if ("refusal" in cancelled) return { ok: false, refusal: cancelled.refusal };
      value.push(cancelled);
    }
    return { ok: true, value };
  };

  return (items, now) =>
    store.attempt(
      () => cancel(items, now),
      (reply) => !reply.ok,
    );
}
