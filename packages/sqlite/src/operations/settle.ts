import { dueAt } from "chainwright";
import type { JobRef, Outcome, SettleReply, StartedJob } from "chainwright";
import type { Store } from "../store.ts";
import { createCycleCheck } from "./cycle-check.ts";
import { nothingFollowed } from "./end-chain.ts";
import type { Aftermath, EndChain } from "./end-chain.ts";
import { createFindJob } from "./find-job.ts";
import type { WriteJob } from "./write-job.ts";

type Settle = (outcomes: readonly Outcome[], now: number) => readonly SettleReply[];

/** What an outcome is about, once its target is found to hold. */
interface Held {
  readonly seq: number;
  readonly chain: number;
  readonly type: string;
  readonly attempt: number;
  readonly leased_by: string | null;
  readonly started_at: number | null;
}

type Found = Held | Exclude<SettleReply, { status: "settled" }>;
type OutcomeOf<Kind> = Extract<Outcome, { kind: Kind }>;
interface Pieces {
  readonly writeJob: WriteJob;
  readonly endChain: EndChain;
}

export function createSettle(store: Store, { writeJob, endChain }: Pieces): Settle {
  const { tables: t, tally } = store;
  const findJob = createFindJob(store);
  const cycleOf = createCycleCheck(store);
  const fenced = `job = (select seq from ${t.job} where id = ?) and leased_by = ? and attempt = ?`;
  const held = `job as seq, chain, type, attempt, leased_by, started_at`;
  const takeHeld = store.sql<Held>(`delete from ${t.ready} where ${fenced} returning ${held}`);
  const seeHeld = store.sql<Held>(`select ${held} from ${t.ready} where ${fenced}`);
  const attemptOf = store.sql<{ attempt: number }>(`select attempt from ${t.ready} where job = ?`);
  const dropReady = store.sql(`delete from ${t.ready} where job = ?`);
  const putBack = store.sql(
    `update ${t.ready} set leased_by = null, leased_until = null, started_at = null, attempt = ?, waiting = ?, ready_at = ?
     where job = ?`,
  );
  const keepErrors = store.sql(`update ${t.job} set errors = ? where seq = ?`);
  const idOf = store.sql<{ id: string; step: number }>(`select id, step from ${t.job} where seq = ?`);
  const stepDone = store.sql(
    `update ${t.job} set status = 'completed', ended_at = ?, attempt = ?, leased_by = ?, started_at = ?, next = ? where seq = ?`,
  );

  const find = ({ target }: Outcome, statement: typeof takeHeld): Found => {
    if ("jobId" in target) {
      return (
        statement.get(target.jobId, target.workerId, target.attempt) ?? {
          status: "lost",
          reason: findJob.lostReason(target.jobId),
        }
      );
    }
    const open = findJob.openJobOf(target.chainId);
    if ("refusal" in open) return { status: "refused", refusal: open.refusal };
    const { chain, job } = open;
    if (job.type !== target.typeName) {
      return { status: "refused", refusal: { code: "job-type-mismatch", id: chain.id, actual: job.type } };
    }
    const attempt = attemptOf.get(job.seq)?.attempt ?? job.attempt;
    if (statement === takeHeld) dropReady.run(job.seq);
    return { seq: job.seq, chain: chain.seq, type: job.type, attempt, leased_by: null, started_at: null };
  };

  const end = (outcome: OutcomeOf<"completed"> | OutcomeOf<"failed">, now: number): SettleReply => {
    const found = find(outcome, takeHeld);
    if ("status" in found) return found;
    const aftermath = nothingFollowed();
    const job = endChain.end(
      {
        seq: found.seq,
        chain: found.chain,
        typeName: found.type,
        status: outcome.kind,
        output: outcome.kind === "completed" ? outcome.output : null,
        errors: outcome.kind === "failed" ? outcome.errors : null,
        reason: null,
        cause: null,
        attempt: found.attempt,
        leasedBy: found.leased_by,
        startedAt: found.started_at,
      },
      now,
      aftermath,
    );
    return settled(job, [], aftermath);
  };

  const refOf = (found: Held): JobRef & { readonly step: number } => {
    const row = idOf.get(found.seq);
    if (row === undefined) throw new Error(`the ready job ${found.seq} is missing`);
    const chainId = found.chain === found.seq ? row.id : (idOf.get(found.chain)?.id ?? row.id);
    return { jobId: row.id, chainId, typeName: found.type, step: row.step };
  };

  const defer = (outcome: OutcomeOf<"deferred">, now: number): SettleReply => {
    const found = find(outcome, seeHeld);
    if ("status" in found) return found;
    const due = outcome.schedule === undefined ? now : dueAt(outcome.schedule, now);
    const waiting = due > now;
    putBack.run(outcome.attempt, waiting ? 1 : 0, waiting ? due : now, found.seq);
    if (outcome.errors !== undefined) keepErrors.run(outcome.errors, found.seq);
    const { jobId, chainId, typeName } = refOf(found);
    return settled({ jobId, chainId, typeName }, [], nothingFollowed());
  };

  const goOn = (outcome: OutcomeOf<"continued">, now: number): SettleReply => {
    const found = find(outcome, seeHeld);
    if ("status" in found) return found;
    const { step, ...job } = refOf(found);
    const place = { chain: found.chain, chainId: job.chainId, step: step + 1, now };
    const written = writeJob.next(outcome.next, place);
    if (written.refusal !== undefined) return { status: "refused", refusal: written.refusal };
    const way = outcome.next.blockers.length === 0 ? undefined : cycleOf(written.seq, found.chain);
    if (way !== undefined) {
      return { status: "refused", refusal: { code: "blocker-cycle", id: job.chainId, references: way } };
    }
    dropReady.run(found.seq);
    stepDone.run(now, found.attempt, found.leased_by, found.started_at, written.seq, found.seq);
    tally.add(found.type, "completed", 1);
    const aftermath = nothingFollowed();
    if (written.status === "failed") endChain.failed(found.chain, written.seq, now, aftermath);
    return settled(job, written.jobs, aftermath);
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

function settled(job: JobRef, started: readonly StartedJob[], aftermath: Aftermath): SettleReply {
  return { status: "settled", ...job, started, ...aftermath };
}
