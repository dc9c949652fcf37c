import { dueAt } from "chainwright";
import type { Outcome, SettleReply, StartedJob } from "chainwright";
import type { Store } from "../store.ts";
import { createCycleCheck } from "./cycle-check.ts";
import { nothingFollowed } from "./end-chain.ts";
import type { Aftermath, ChainHead, EndChain } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";
import type { WriteJob } from "./write-job.ts";

type Settle = (outcomes: readonly Outcome[], now: number) => readonly SettleReply[];

/** What an outcome is about, once its target is found to hold. */
interface Held extends ChainHead {
  readonly chain: number;
  readonly step: number;
  readonly attempt: number;
  readonly leased_by: string | null;
  readonly started_at: number | null;
}

type NotSettled = Exclude<SettleReply, { status: "settled" }>;
type OutcomeOf<Kind> = Extract<Outcome, { kind: Kind }>;
interface Pieces {
  readonly writeJob: WriteJob;
  readonly endChain: EndChain;
}

export function createSettle(store: Store, { writeJob, endChain }: Pieces): Settle {
  const { tables: t, tally } = store;
  const findJob = createFindJob(store);
  const cycleOf = createCycleCheck(store);
  // `+` keeps SQLite from planning the join anew for each value, see `chainIdOf`.
  const heldBy = store.sql<Held>(
    `select j.seq, j.id, j.type, j.step, j.awaited, j.dedup_key, j.dedup_scope, r.chain, r.attempt, r.leased_by,
       r.started_at
     from ${t.job} j cross join ${t.ready} r on r.job = j.seq
     where j.id = +? and r.leased_by = +? and r.attempt = +?`,
  );
  const attemptOf = store.sql<{ attempt: number }>(`select attempt from ${t.ready} where job = ?`);
  const dropReady = store.sql(`delete from ${t.ready} where job = ?`);
  const putBack = store.sql(
    `update ${t.ready} set leased_by = null, leased_until = null, started_at = null, attempt = ?, waiting = ?, ready_at = ?
     where job = ?`,
  );
  const keepErrors = store.sql(`update ${t.job} set errors = ? where seq = ?`);
  const stepDone = store.sql(
    `update ${t.job} set status = 'completed', ended_at = ?, attempt = ?, leased_by = ?, started_at = ?, next = ? where seq = ?`,
  );

  const find = ({ target }: Outcome): Held | NotSettled => {
    if ("jobId" in target) {
      const held = heldBy.get(target.jobId, target.workerId, target.attempt);
      return held ?? { status: "lost", reason: findJob.lostReason(target.jobId) };
    }
    const open = findJob.openJobOf(target.chainId);
    if ("refusal" in open) return { status: "refused", refusal: open.refusal };
    const { chain, job } = open;
    if (job.type !== target.typeName) {
      return { status: "refused", refusal: { code: "job-type-mismatch", id: chain.id, actual: job.type } };
    }
    const attempt = attemptOf.get(job.seq)?.attempt ?? job.attempt;
    const { awaited, dedup_key, dedup_scope } = endChain.head(chain.seq);
    const ofChain = { awaited, dedup_key, dedup_scope, chain: chain.seq };
    return {
      ...ofChain,
      seq: job.seq,
      id: job.id,
      type: job.type,
      step: job.step,
      attempt,
      leased_by: null,
      started_at: null,
    };
  };

  const headOf = (held: Held): ChainHead => (held.chain === held.seq ? held : endChain.head(held.chain));

  const end = (outcome: OutcomeOf<"completed"> | OutcomeOf<"failed">, now: number): SettleReply => {
    const held = find(outcome);
    if ("status" in held) return held;
    const head = headOf(held);
    dropReady.run(held.seq);
    const aftermath = endChain.end(
      {
        seq: held.seq,
        typeName: held.type,
        status: outcome.kind,
        output: outcome.kind === "completed" ? outcome.output : null,
        errors: outcome.kind === "failed" ? outcome.errors : null,
        reason: null,
        cause: null,
        attempt: held.attempt,
        leasedBy: held.leased_by,
        startedAt: held.started_at,
      },
      head,
      now,
    );
    return settled({ held, head }, [], aftermath);
  };

  const defer = (outcome: OutcomeOf<"deferred">, now: number): SettleReply => {
    const held = find(outcome);
    if ("status" in held) return held;
    const due = outcome.schedule === undefined ? now : dueAt(outcome.schedule, now);
    const waiting = due > now;
    putBack.run(outcome.attempt, waiting ? 1 : 0, waiting ? due : now, held.seq);
    if (outcome.errors !== undefined) keepErrors.run(outcome.errors, held.seq);
    return settled({ held, head: headOf(held) }, [], nothingFollowed());
  };

  const goOn = (outcome: OutcomeOf<"continued">, now: number): SettleReply => {
    const held = find(outcome);
    if ("status" in held) return held;
    const head = headOf(held);
    const written = writeJob.next(outcome.next, { chain: head.seq, chainId: head.id, step: held.step + 1, now });
    if (written.refusal !== undefined) return { status: "refused", refusal: written.refusal };
    const way = outcome.next.blockers.length === 0 ? undefined : cycleOf(written.seq, head.seq);
    if (way !== undefined)
      return { status: "refused", refusal: { code: "blocker-cycle", id: head.id, references: way } };
    dropReady.run(held.seq);
    stepDone.run(now, held.attempt, held.leased_by, held.started_at, written.seq, held.seq);
    tally.add(held.type, "completed", 1);
    const aftermath = written.status === "failed" ? endChain.endFailed(head, written.seq, now) : nothingFollowed();
    return settled({ held, head }, written.jobs, aftermath);
  };

  const settleOne = (outcome: Outcome, now: number): SettleReply => {
    if (outcome.kind === "deferred") return defer(outcome, now);
    if (outcome.kind !== "continued") return end(outcome, now);
    // A continuation without blockers is refused, if at all, before anything is written.
    if (outcome.next.blockers.length === 0) return goOn(outcome, now);
    return store.attempt(
      () => goOn(outcome, now),
      (reply) => reply.status !== "settled",
    );
  };

  return (outcomes, now) => outcomes.map((outcome) => settleOne(outcome, now));
}

function settled(
  { held, head }: { readonly held: Held; readonly head: ChainHead },
  started: readonly StartedJob[],
  { unblocked, failed, reblocked }: Aftermath,
): SettleReply {
  const job = { jobId: held.id, chainId: head.id, typeName: held.type };
  return { status: "settled", ...job, started, unblocked, failed, reblocked };
}
