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
import { factOf, inPlace, refOf, refusalOf, startedJobOf } from "../result-rows.ts";
import type { Fact } from "../result-rows.ts";
import { flatten, noStarts, startParameters } from "../flat-starts.ts";
import { addEffect, noEffects } from "../consequences.ts";
import type { Effects } from "../consequences.ts";
import { callAll } from "../store.ts";
import type { FunctionCall, Store } from "../store.ts";

/** Settles outcomes: each stands alone, one lost or refused leaves the rest. */
export async function settle<Tx>(
  store: Store<Tx>,
  outcomes: readonly Outcome[],
  options: CallOptions<Tx>,
): Promise<readonly SettleReply[]> {
  if (outcomes.length === 0) return [];
  const facts = await settleWith(store, outcomes, [], options);
  return settledOf(outcomes, facts);
}

/**
 * Settles outcomes, and calls more in the same statement. Where the wait for a lock is limited and comes to its limit, nothing
 * was written: then everything is sent again without the outcomes whose rows others hold, which are `busy`. So what is free
 * costs nothing more as long as nobody holds anything.
 */
export async function settleWith<Tx>(
  store: Store<Tx>,
  outcomes: readonly Outcome[],
  more: readonly FunctionCall[],
  options: CallOptions<Tx>,
): Promise<readonly Fact[]> {
  const send = async (settling: readonly FunctionCall[]) =>
    (await callAll(store, [...settling, ...more], options)).map(factOf);
  if (outcomes.length === 0) return send([]);
  try {
    return await send([settleCall(outcomes)]);
  } catch (error) {
    if (options.tx !== undefined || options.waitMs === undefined || !isLockTimeout(error)) throw error;
    return send([manyCall(outcomes, "1")]);
  }
}

function settleCall(outcomes: readonly Outcome[]): FunctionCall {
  const [only] = outcomes;
  return (outcomes.length === 1 && only !== undefined ? oneCall(only) : undefined) ?? manyCall(outcomes, null);
}

/** Undefined: of a kind that has no way of its own. */
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

/** `free`: "1" settles only what nobody else holds. */
function manyCall(outcomes: readonly Outcome[], free: "1" | null): FunctionCall {
  const [fenced, steps, deferred] = [[] as object[], [] as object[], [] as object[]];
  const flat = noStarts();
  let continues: string | null = null;
  for (const [n, outcome] of outcomes.entries()) {
    if (outcome.kind === "continued") {
      continues = "1";
      if (outcome.next.blockers.length > 0) flatten(flat, outcome.next, n);
    }
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
      continues,
      textOf(deferred),
      textOf(steps),
      textOf(flat.starts),
      flat.starts.length === 0 ? null : JSON.stringify(flat.links),
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

export function settledOf(outcomes: readonly Outcome[], facts: readonly Fact[]): readonly SettleReply[] {
  const replies: SettleReply[] = [];
  const settled = new Map<number, SettledEffects>();
  for (const fact of facts) {
    if (fact.kind === "settled") {
      const effects = effectsOf(fact, outcomes[fact.n]);
      settled.set(fact.n, effects);
      replies[fact.n] = effects;
    } else if (fact.kind === "lost") replies[fact.n] = { status: "lost", reason: fact.status as LostReason };
    else if (fact.kind === "busy") replies[fact.n] = { status: "busy" };
    else if (fact.kind === "refused") replies[fact.n] = { status: "refused", refusal: refusalOf(fact) };
  }
  for (const fact of facts) {
    const effects = settled.get(fact.n);
    if (effects === undefined) continue;
    if (fact.kind === "started") effects.started.push(startedJobOf(fact));
    else if (fact.kind !== "failed" || !continuesWith(outcomes[fact.n], fact.jobId)) addEffect(effects, fact);
  }
  return inPlace(replies, outcomes.length, "outcome");
}

type SettledEffects = Settled & Effects & { readonly status: "settled"; readonly started: StartedJob[] };

function effectsOf(fact: Fact, outcome: Outcome | undefined): SettledEffects {
  const started: StartedJob[] = [];
  // With blockers it is told by the store, together with those that begin with it.
  if (outcome?.kind === "continued" && outcome.next.blockers.length === 0) {
    const { id: jobId, typeName, schedule } = outcome.next;
    const dueInMs = schedule === undefined ? 0 : dueAt(schedule, fact.at) - fact.at;
    const due =
      dueInMs > 0 ? ({ status: "scheduled", dueInMs } as const) : ({ status: "ready", dueInMs: undefined } as const);
    started.push({ jobId, chainId: fact.chainId, typeName, ...due });
  }
  return { status: "settled", ...refOf(fact), started, ...noEffects() };
}

/** A continuation that fails as it is written is told as started, not also as failed. */
function continuesWith(outcome: Outcome | undefined, jobId: string): boolean {
  return outcome?.kind === "continued" && outcome.next.id === jobId;
}
