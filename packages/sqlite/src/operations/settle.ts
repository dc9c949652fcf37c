import { dueAt, type Outcome, type SettleReply, type StartedJob } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createCycleCheck } from "./cycle-check.ts";
import { nothingFollowed } from "./end-chain.ts";
import type { ChainHead } from "./chain-head.ts";
import type { Aftermath, ChainEnd, EndCall, EndChain } from "./end-chain.ts";
import { createFindHeld } from "./find-held.ts";
import type { Held } from "./find-held.ts";
import { createBudget } from "./releases.ts";
import type { WriteJob } from "./written-job.ts";

type Settle = (outcomes: readonly Outcome[], now: number) => readonly SettleReply[];

type OutcomeOf<Kind> = Extract<Outcome, { kind: Kind }>;
interface Pieces {
  readonly writeJob: WriteJob;
  readonly endChain: EndChain;
}

function statementsOf({ tables: t, sql }: Store) {
  return {
    dropReady: sql(`delete from ${t.ready} where job = ?`),
    putBack: sql(
      `update ${t.ready} set leased_by = null, leased_until = null, started_at = null, attempt = attempt - ?, waiting = ?,
         ready_at = ?
       where job = ?`,
    ),
    keepErrors: sql(`update ${t.job} set errors = ? where seq = ?`),
    stepDone: sql(
      `update ${t.job} set status = 'completed', ended_at = ?, attempt = ?, fence = ?, leased_by = ?,
         started_at = ?, next = ?
       where seq = ?`,
    ),
  };
}

export function createSettle(store: Store, { writeJob, endChain }: Pieces): Settle {
  const { tally } = store;
  const find = createFindHeld(store, endChain);
  const cycleOf = createCycleCheck(store);
  const { dropReady, putBack, keepErrors, stepDone } = statementsOf(store);

  const headOf = (held: Held): ChainHead => (held.chain === held.seq ? held : endChain.head(held.chain));

  const end = (outcome: OutcomeOf<"completed"> | OutcomeOf<"failed">, call: EndCall): SettleReply => {
    const held = find(outcome.target);
    if ("status" in held) return held;
    const head = headOf(held);
    dropReady.run(held.seq);
    return settled({ held, head }, [], endChain.end(chainEnd(held, outcome), head, call));
  };

  const defer = (outcome: OutcomeOf<"deferred">, now: number): SettleReply => {
    const held = find(outcome.target);
    if ("status" in held) return held;
    const due = outcome.schedule === undefined ? now : dueAt(outcome.schedule, now);
    const waiting = due > now;
    putBack.run(outcome.counted ? 0 : 1, waiting ? 1 : 0, waiting ? due : now, held.seq);
    if (outcome.errors !== undefined) keepErrors.run(outcome.errors, held.seq);
    return settled({ held, head: headOf(held) }, [], nothingFollowed());
  };

  const goOn = (outcome: OutcomeOf<"continued">, call: EndCall): SettleReply => {
    const { now } = call;
    const held = find(outcome.target);
    if ("status" in held) return held;
    const head = headOf(held);
    const written = writeJob.next(outcome.next, { chain: head.seq, chainId: head.id, step: held.step + 1, now });
    if (written.refusal !== undefined) return { status: "refused", refusal: written.refusal };
    const way = outcome.next.blockers.length === 0 ? undefined : cycleOf(written.seq, head.seq);
    if (way !== undefined) {
      return { status: "refused", refusal: { code: "blocker-cycle", id: head.id, references: way } };
    }
    dropReady.run(held.seq);
    stepDone.run(now, held.attempt, held.fence, held.leased_by, held.started_at, written.seq, held.seq);
    tally.add(held.type, "completed", 1);
    const aftermath = written.status === "failed" ? endChain.endFailed(head, written.seq, call) : nothingFollowed();
    return settled({ held, head }, written.jobs, aftermath);
  };

  const settleOne = (outcome: Outcome, call: EndCall): SettleReply => {
    if (outcome.kind === "deferred") return defer(outcome, call.now);
    if (outcome.kind !== "continued") return end(outcome, call);
    // A continuation without blockers is refused, if at all, before anything is written.
    if (outcome.next.blockers.length === 0) return goOn(outcome, call);
    return store.attempt(
      () => goOn(outcome, call),
      (reply) => reply.status !== "settled",
    );
  };

  return (outcomes, now) => {
    const call = { now, budget: createBudget() };
    return outcomes.map((outcome) => settleOne(outcome, call));
  };
}

function chainEnd(held: Held, outcome: OutcomeOf<"completed"> | OutcomeOf<"failed">): ChainEnd {
  return {
    seq: held.seq,
    typeName: held.type,
    status: outcome.kind,
    output: outcome.kind === "completed" ? outcome.output : null,
    errors: outcome.kind === "failed" ? outcome.errors : null,
    reason: null,
    cause: null,
    attempt: held.attempt,
    fence: held.fence,
    leasedBy: held.leased_by,
    startedAt: held.started_at,
  };
}

function settled(
  { held, head }: { readonly held: Held; readonly head: ChainHead },
  started: readonly StartedJob[],
  { unblocked, failed, reblocked, releasing }: Aftermath,
): SettleReply {
  const job = { jobId: held.id, chainId: head.id, typeName: held.type };
  return { status: "settled", ...job, started, unblocked, failed, reblocked, releasing };
}
