import type { CallOptions, LostReason, Outcome, Schedule, SettleReply, Settled, StartedJob } from "chainwright";
import { dueAt } from "chainwright";
import { isLockTimeout } from "../errors.ts";
import { factOf, inPlace, refOf, refusalOf, startedJobOf } from "../facts.ts";
import type { Fact } from "../facts.ts";
import { flatten, noStarts, startParameters } from "../flatten.ts";
import { dueOf } from "../functions/begin.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, innerFunction, nowOf, outerFunction } from "../functions/function.ts";
import { isOne } from "../functions/is-one.ts";
import { addEffect, noEffects } from "../released.ts";
import type { Effects } from "../released.ts";
import type { Schema } from "../schema.ts";
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

/** The outcomes in a parameter that nobody else holds; null: there are none. */
const without = (outcomes: string) => `(
      select json_agg(e.outcome)::text from json_array_elements(${outcomes}::json) as e(outcome)
      where (e.outcome->>'n')::integer <> all(v_busy))`;

export function settleFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "settle_v1",
    parameters: `p_alone text, p_now text, p_fenced text, p_total text, p_continues text, p_deferred text, p_steps text,
  p_starts text, p_links text, p_free text`,
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_starts jsonb := p_starts::jsonb;
  v_links jsonb := p_links::jsonb;
  v_busy integer[];
  v_step record;
  v_found record;`,
    body: `${guard("p_alone")}
  if p_free is not null then
    v_busy := ${s}.take_free_v1(p_fenced::json, p_deferred::json, v_starts, v_links);
    return query select ${factRow({ kind: "'busy'", n: "b.n" })} from unnest(v_busy) as b(n);
    p_fenced := ${without("p_fenced")};
    p_deferred := ${without("p_deferred")};
    p_total := json_array_length(p_fenced::json)::text;
  end if;
  if p_fenced is not null then
    if p_continues is null then
      return query select * from ${s}.settle_ended_v1(v_now, p_fenced::json, p_total::integer, false, null, null, '{}');
    else
      return query select * from ${s}.settle_all_v1(v_now, p_fenced::json, p_total::integer, v_starts, v_links);
    end if;
  end if;
  if p_deferred is not null then
    return query
    with outcomes as (
      select * from json_to_recordset(p_deferred::json)
        as i(n integer, id uuid, worker text, fence integer, at double precision, after double precision, uncounted integer,
          errors text)
      order by i.id, i.n),
    moments as (
      select i.*, ${dueOf("i", "v_now")} as due_at from outcomes i),
    waiting as (
      update ${s}.open_job o set
        leased_by = null, leased_until = 0, started_at = null, attempt = o.attempt - i.uncounted, due_at = i.due_at,
        state = case when i.due_at > v_now then 1 else 0 end
      from moments i where ${isOne("o.job_id", "i.id")} and o.leased_by = i.worker and o.fence = i.fence
      returning i.n, o.job_id, o.chain_id, o.type_name, i.errors),
    noted as (
      update ${s}.job j set errors = w.errors from waiting w where ${isOne("j.id", "w.job_id")} and w.errors is not null)
    select ${factRow({
      kind: "case when w.n is null then 'lost' else 'settled' end",
      n: "i.n",
      job_id: "w.job_id",
      chain_id: "w.chain_id",
      type_name: "w.type_name",
      at: "v_now",
      status: `case when w.n is null then ${s}.lost_v1(i.id) end`,
    })}
    from outcomes i left join waiting w on w.n = i.n;
  end if;
  if p_steps is not null then
    for v_step in select * from json_array_elements(p_steps::json) as e(outcome)
    loop
      select f.job_id, f.refusal into v_found from ${s}.open_step_v1((v_step.outcome->>'chain')::uuid, v_step.outcome->>'step') f;
      if v_found.refusal is not null then
        return query select ${factRow({ kind: "'refused'", n: "(v_step.outcome->>'n')::integer", body: "v_found.refusal" })};
      else
        return query select * from ${s}.settle_all_v1(v_now,
          json_build_array((v_step.outcome::jsonb || jsonb_build_object('id', v_found.job_id))::json), 1, v_starts, v_links);
      end if;
    end loop;
  end if;`,
  });
}

/** Locks a chain's open job for a caller that is no worker, whatever that job is doing. */
export function openStepFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "open_step_v1",
    parameters: "p_chain uuid, p_type text, out job_id uuid, out refusal text",
    returns: "record",
    declare: `  v_status smallint;
  v_type text;`,
    body: `  -- The chain may move on between the look and the lock: then look again.
  for i in 1 .. 100 loop
    select j.chain_status into v_status from ${s}.job j where j.id = p_chain and j.chain_status is not null;
    if not found then
      refusal := json_build_object('code', 'chain-not-found', 'id', p_chain);
      return;
    elsif v_status <> 0 then
      refusal := json_build_object('code', 'chain-not-active', 'id', p_chain,
        'actual', (array['completed', 'failed', 'cancelled'])[v_status]);
      return;
    end if;
    select coalesce(
      (select j.id from ${s}.job j where j.chain_id = p_chain and j.step > 1 order by j.step desc limit 1), p_chain)
    into job_id;
    select o.type_name into v_type from ${s}.open_job o where o.job_id = open_step_v1.job_id for update;
    if found then
      if p_type is not null and v_type <> p_type then
        refusal := json_build_object('code', 'job-type-mismatch', 'id', p_chain, 'actual', v_type);
      end if;
      return;
    end if;
  end loop;
  raise exception 'chain % has no open job', p_chain using errcode = 'data_corrupted';`,
  });
}
