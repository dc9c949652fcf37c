import {
  dueAt,
  ownClaimName,
  type CallOptions,
  type LostReason,
  type Outcome,
  type Settled,
  type SettleReply,
  type StartedJob,
  type WaitingJob,
} from "chainwright/adapter";
import { isLockTimeout } from "../errors.ts";
import { inPlace, refOf, refusalOf, resultOf, startedJobOf, waitingOf, type ResultRow } from "../result-rows.ts";
import { addEffect, isEffect, noEffects, type EffectRow, type Effects } from "../consequences.ts";
import { callAll, type FunctionCall, type Store } from "../store.ts";
import { reportCalls } from "./note.ts";
import { endedOf } from "./many-ends.ts";
import { isStarted, manyCall, settleCalls } from "./settle-calls.ts";

/** Settles outcomes. One that is lost or refused leaves the others as they are. */
export async function settle<Tx>(
  store: Store<Tx>,
  outcomes: readonly Outcome[],
  options: CallOptions<Tx>,
): Promise<readonly SettleReply[]> {
  if (outcomes.length === 0) return [];
  return settledOf(outcomes, await settleWith(store, outcomes, [], options));
}

/**
 * Settles outcomes, and makes more calls in the same statement. If the wait for a lock reaches its limit, nothing was written, and
 * everything is sent again without the outcomes whose rows another transaction has locked, which are `busy`. So looking for locks
 * costs nothing as long as there are none.
 */
export async function settleWith<Tx>(
  store: Store<Tx>,
  outcomes: readonly Outcome[],
  more: readonly FunctionCall[],
  options: CallOptions<Tx>,
): Promise<readonly ResultRow[]> {
  const reports = reportCalls(outcomes);
  const send = async (settling: readonly FunctionCall[]) => {
    const rows = (await callAll(store, [...reports, ...settling, ...more], options)).map(resultOf);
    store.claimStart.noteReturned(returnedOf(outcomes, rows));
    return rows;
  };
  if (outcomes.length === 0) return send([]);
  try {
    return await send(settleCalls(outcomes));
  } catch (error) {
    if (options.tx !== undefined || options.waitMs === undefined || !isLockTimeout(error)) throw error;
    return send([manyCall(outcomes.entries(), "1")]);
  }
}

/** The jobs that may be ready now at positions that claims have passed. */
function returnedOf(outcomes: readonly Outcome[], rows: readonly ResultRow[]): string[] {
  const returned = outcomes.flatMap((each) =>
    each.kind === "deferred" && each.schedule === undefined ? each.target.jobId : [],
  );
  for (const row of rows) if (row.kind === "unblocked" && row.status === "ready") returned.push(row.jobId);
  return returned;
}

export function settledOf(outcomes: readonly Outcome[], rows: readonly ResultRow[]): readonly SettleReply[] {
  const replies: SettleReply[] = [];
  const settled = new Map<number, SettledEffects>();
  const note = (n: number, effects: SettledEffects): void => {
    settled.set(n, effects);
    replies[n] = effects;
  };
  for (const row of rows) {
    if (row.kind === "settled") note(row.n, effectsOf(row, outcomes[row.n]));
    else if (row.kind === "ended") {
      for (const { n, ...job } of endedOf(row, outcomes))
        note(n, { status: "settled", ...job, started: [], ...noEffects() });
    } else if (row.kind === "lost") replies[row.n] = { status: "lost", reason: row.reason as LostReason };
    else if (row.kind === "busy") replies[row.n] = { status: "busy" };
    else if (row.kind === "refused") replies[row.n ?? -1] = { status: "refused", refusal: refusalOf(row) };
  }
  for (const row of rows) {
    // Of the chain of a lost outcome.
    if (row.kind === "unblocked" && row.followUp === 1 && addReady(replies[row.n], row)) continue;
    if (row.kind === "started") settled.get(row.n)?.started.push(startedJobOf(row));
    else if (isEffect(row) && !isFailedContinuation(row, outcomes)) addEffect(settled.get(row.n), row);
  }
  return inPlace(replies, outcomes.length, "outcome");
}

function addReady(reply: SettleReply | undefined, row: ResultRow<"unblocked">): boolean {
  if (reply?.status !== "lost") return false;
  const lost: { ready?: readonly WaitingJob[] | undefined } = reply;
  lost.ready = [...(lost.ready ?? []), waitingOf(row)];
  return true;
}

type SettledEffects = Settled & Effects & { readonly status: "settled"; readonly started: StartedJob[] };

function effectsOf(row: ResultRow<"settled">, outcome: Outcome | undefined): SettledEffects {
  const started: StartedJob[] = [];
  // A continuation that is written like a start is reported by the store, together with the starts inside it.
  if (outcome?.kind === "continued" && !isStarted(outcome.next)) {
    const { id: jobId, typeName, schedule } = outcome.next;
    const dueInMs = schedule === undefined ? 0 : dueAt(schedule, row.settledAt) - row.settledAt;
    const due =
      dueInMs > 0 ? ({ status: "scheduled", dueInMs } as const) : ({ status: "ready", dueInMs: undefined } as const);
    started.push({ jobId, chainId: row.chainId, typeName, claimName: ownClaimName(outcome.next), ...due });
  }
  return { status: "settled", ...refOf(row), started, ...noEffects() };
}

/** A continuation that fails as it is written is reported as started, not also as failed. */
function isFailedContinuation(row: EffectRow, outcomes: readonly Outcome[]): boolean {
  const outcome = outcomes[row.n];
  return row.kind === "failed" && outcome?.kind === "continued" && outcome.next.id === row.jobId;
}
