import type { Outcome } from "../../../src/model/outcome.ts";
import type { ClaimedJob, JobRecord } from "../../../src/model/record.ts";
import type { SettleReply } from "../../../src/ports/exchange.ts";
import type { NoteItem, NoteReply } from "../../../src/ports/note.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import type { Life } from "../life.ts";
import { noteClaim, notedOf, type NoteLedger } from "./note-ledger.ts";

interface Watched {
  readonly store: StateAdapter;
  readonly ledger: NoteLedger;
  readonly now: () => number;
  readonly violations: string[];
}

/**
 * A process's view of a store that does what a call asks before the call returns. What is noted in a transaction counts once that has
 * committed. Notes as violations: a memo that changes (F1), a claim that brings something else than what is on record (F1, F3), and a note
 * of an attempt that does not hold its job (F4).
 */
export function watchNotes(watched: Watched, life: Life): StateAdapter {
  const { store } = watched;
  const later = new Map<unknown, (() => void)[]>();
  const after = (tx: unknown, apply: () => void): void => {
    const open = later.get(tx);
    if (open === undefined) apply();
    else open.push(apply);
  };
  return {
    ...store,
    async exchange(request, options) {
      const reply = await store.exchange(request, options);
      settled(watched, request.outcomes, reply.settled);
      for (const job of reply.claimed) claimed(watched, life, job);
      return reply;
    },
    async settle(outcomes, options) {
      const replies = await store.settle(outcomes, options);
      after(options.tx, () => settled(watched, outcomes, replies));
      return replies;
    },
    async note(items, options) {
      const ids = items.map(({ target }) => target.jobId);
      // Both calls see one state of the store.
      const [replies, jobs] = await Promise.all([store.note(items, options), store.getJobs(ids, options)]);
      for (const [index, item] of items.entries()) {
        const reply = replies[index];
        if (reply?.status !== "noted") continue;
        checkHolder(watched, item, jobs[index]);
        after(options.tx, () => noted(watched, item, reply));
      }
      return replies;
    },
    async transaction(run, options) {
      const open: (() => void)[] = [];
      const value = await store.transaction(async (tx) => {
        later.set(tx, open);
        return await run(tx);
      }, options);
      for (const apply of open) apply();
      return value;
    },
  };
}

function settled({ ledger }: Watched, outcomes: readonly Outcome[], replies: readonly SettleReply[]): void {
  for (const [index, reply] of replies.entries()) {
    const outcome = outcomes[index];
    if (reply.status !== "settled" || outcome?.kind !== "completed") continue;
    if ("fence" in outcome.target) notedOf(ledger, reply.jobId).completedBy = outcome.target.fence;
  }
}

function claimed({ ledger, violations }: Watched, life: Life, job: ClaimedJob): void {
  const known = notedOf(ledger, job.id);
  if (job.fence <= known.fence) violations.push(`job ${job.id} was claimed under the fence ${job.fence} before`);
  known.fence = job.fence;
  const [brought, expected] = [textOf(job.memos ?? []), textOf(namedOf(known.memos))];
  if (brought !== expected) violations.push(`F1: a claim of job ${job.id} brought ${brought} instead of ${expected}`);
  if (job.checkpoint !== known.checkpoint)
    violations.push(
      `F3: a claim of job ${job.id} brought the checkpoint ${job.checkpoint} instead of ${known.checkpoint}`,
    );
  const { fence } = job;
  noteClaim(ledger, life, job, { fence, checkpoint: known.checkpoint, memos: new Set(known.memos.keys()) });
}

function namedOf(memos: ReadonlyMap<string, string>) {
  return Array.from(memos, ([name, value]) => ({ name, value }));
}

function textOf(memos: readonly { readonly name: string; readonly value: string }[]): string {
  return memos
    .map(({ name, value }) => `${name}: ${value}`)
    .toSorted()
    .join(", ");
}

function checkHolder({ ledger, now, violations }: Watched, { target }: NoteItem, job: JobRecord | undefined): void {
  const { jobId, workerId, fence } = target;
  const isHeld = job?.leasedBy === workerId && (job.leasedUntil ?? 0) > now() && notedOf(ledger, jobId).fence === fence;
  if (!isHeld) violations.push(`F4: fence ${fence} has noted something about job ${jobId}, which it does not hold`);
}

function noted(
  { ledger, violations }: Watched,
  { target, memos = [], checkpoint }: NoteItem,
  { memos: stored = [] }: Extract<NoteReply, { readonly status: "noted" }>,
): void {
  const known = notedOf(ledger, target.jobId);
  for (const [index, { name, value }] of memos.entries()) {
    const before = known.memos.get(name);
    const { isNew, value: kept } = stored[index] ?? { isNew: true, value };
    if (isNew !== (before === undefined) || kept !== (before ?? value))
      violations.push(`F1: memo ${name} of job ${target.jobId} was ${before}, and its call returned ${kept}`);
    known.memos.set(name, kept);
  }
  if (checkpoint === undefined) return;
  known.checkpoint = checkpoint;
  known.checkpoints.add(checkpoint);
}
