import {
  dueAt,
  type CallOptions,
  type LostReason,
  type Outcome,
  type Schedule,
  type Settled,
  type SettleReply,
  type StartedJob,
} from "chainwright/adapter";
import { isLockTimeout } from "../errors.ts";
import { inPlace, refOf, refusalOf, resultOf, startedJobOf, type ResultRow } from "../result-rows.ts";
import { flatten, noStarts, startParameters } from "../flat-starts.ts";
import { addEffect, isEffect, noEffects, type EffectRow, type Effects } from "../consequences.ts";
import { callAll, type FunctionCall, type Store } from "../store.ts";

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
  const send = async (settling: readonly FunctionCall[]) => {
    const rows = (await callAll(store, [...settling, ...more], options)).map(resultOf);
    store.claimStart.noteReturned(returnedOf(outcomes, rows));
    return rows;
  };
  if (outcomes.length === 0) return send([]);
  try {
    return await send([settleCall(outcomes)]);
  } catch (error) {
    if (options.tx !== undefined || options.waitMs === undefined || !isLockTimeout(error)) throw error;
    return send([manyCall(outcomes, "1")]);
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

function settleCall(outcomes: readonly Outcome[]): FunctionCall {
  const [only] = outcomes;
  return (outcomes.length === 1 && only !== undefined ? oneCall(only) : undefined) ?? manyCall(outcomes, null);
}

/** The call of a function for one outcome; undefined if there is none for its kind. */
function oneCall(outcome: Outcome): FunctionCall | undefined {
  const { target } = outcome;
  if (!("jobId" in target) || outcome.kind === "deferred") return undefined;
  const fence = [target.jobId, target.workerId, String(target.fence)];
  if (outcome.kind === "completed") return { name: "settle_one_v1", parameters: [...fence, "1", outcome.output, null] };
  if (outcome.kind === "failed") return { name: "settle_one_v1", parameters: [...fence, "2", null, outcome.errors] };
  if (outcome.next.blockers.length > 0) return undefined;
  const flat = noStarts();
  flatten(flat, outcome.next, 0);
  return { name: "continue_one_v1", parameters: [...fence, ...flat.starts.flatMap(startParameters)] };
}

/** `free`: "1" settles only outcomes whose rows no one else has locked. */
function manyCall(outcomes: readonly Outcome[], free: "1" | null): FunctionCall {
  const [fenced, steps, deferred] = [[] as object[], [] as object[], [] as object[]];
  const flat = noStarts();
  for (const [n, outcome] of outcomes.entries()) {
    if (outcome.kind === "continued" && outcome.next.blockers.length > 0) flatten(flat, outcome.next, n);
    const record = { n, ...targetOf(outcome), ...contentOf(outcome) };
    if (outcome.kind === "deferred") deferred.push(record);
    else if ("jobId" in outcome.target) fenced.push(record);
    else steps.push(record);
  }
  return {
    name: "settle_v1",
    parameters: [
      textOf(fenced),
      String(fenced.length),
      textOf(deferred),
      textOf(steps),
      textOf(flat.starts),
      flat.starts.length === 0 ? null : JSON.stringify(flat.blockers),
      free,
    ],
  };
}

function textOf(records: readonly object[]): string | null {
  return records.length === 0 ? null : JSON.stringify(records);
}

function targetOf({ target }: Outcome): object {
  return "jobId" in target
    ? { id: target.jobId, worker: target.workerId, fence: target.fence }
    : { chain: target.chainId, step: target.typeName };
}

function contentOf(outcome: Outcome): object {
  switch (outcome.kind) {
    case "completed":
      return { status: 1, output: outcome.output };
    case "failed":
      return { status: 2, errors: outcome.errors };
    case "deferred":
      return { ...scheduleOf(outcome.schedule), uncounted: outcome.counted ? 0 : 1, errors: outcome.errors };
    case "continued": {
      const { next } = outcome;
      if (next.blockers.length > 0) return { status: 1, next: next.id };
      const { input, priority, context } = next;
      const wait = next.onBlockerFailure === "wait" ? 1 : undefined;
      return {
        status: 1,
        next: next.id,
        type: next.typeName,
        input,
        priority,
        ...scheduleOf(next.schedule),
        wait,
        context,
      };
    }
  }
}

function scheduleOf(schedule: Schedule | undefined): object {
  if (schedule === undefined) return {};
  return "at" in schedule ? { at: schedule.at } : { after: schedule.afterMs };
}

export function settledOf(outcomes: readonly Outcome[], rows: readonly ResultRow[]): readonly SettleReply[] {
  const replies: SettleReply[] = [];
  const settled = new Map<number, SettledEffects>();
  for (const row of rows) {
    if (row.kind === "settled") {
      const effects = effectsOf(row, outcomes[row.n]);
      settled.set(row.n, effects);
      replies[row.n] = effects;
    } else if (row.kind === "lost") replies[row.n] = { status: "lost", reason: row.reason as LostReason };
    else if (row.kind === "busy") replies[row.n] = { status: "busy" };
    else if (row.kind === "refused") replies[row.n ?? -1] = { status: "refused", refusal: refusalOf(row) };
  }
  for (const row of rows) {
    if (row.kind === "started") settled.get(row.n)?.started.push(startedJobOf(row));
    else if (isEffect(row) && !isFailedContinuation(row, outcomes)) addEffect(settled.get(row.n), row);
  }
  return inPlace(replies, outcomes.length, "outcome");
}

type SettledEffects = Settled & Effects & { readonly status: "settled"; readonly started: StartedJob[] };

function effectsOf(row: ResultRow<"settled">, outcome: Outcome | undefined): SettledEffects {
  const started: StartedJob[] = [];
  // A continuation with blockers is reported by the store, together with the starts inside it.
  if (outcome?.kind === "continued" && outcome.next.blockers.length === 0) {
    const { id: jobId, typeName, schedule } = outcome.next;
    const dueInMs = schedule === undefined ? 0 : dueAt(schedule, row.settledAt) - row.settledAt;
    const due =
      dueInMs > 0 ? ({ status: "scheduled", dueInMs } as const) : ({ status: "ready", dueInMs: undefined } as const);
    started.push({ jobId, chainId: row.chainId, typeName, ...due });
  }
  return { status: "settled", ...refOf(row), started, ...noEffects() };
}

/** A continuation that fails as it is written is reported as started, not also as failed. */
function isFailedContinuation(row: EffectRow, outcomes: readonly Outcome[]): boolean {
  const outcome = outcomes[row.n];
  return row.kind === "failed" && outcome?.kind === "continued" && outcome.next.id === row.jobId;
}
