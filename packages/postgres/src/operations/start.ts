import type { CallOptions, JobStart, Refusal, Reply, StartCall, StartReply, StartedJob } from "chainwright";
import { factOf, inPlace, refusalOf, startedJobOf } from "../facts.ts";
import type { Fact } from "../facts.ts";
import { flatten, noStarts, startParameters } from "../flatten.ts";
import type { FlatStarts } from "../flatten.ts";
import { dueOf, startRecord, writtenStatus } from "../functions/begin.ts";
import { factColumns, factRow } from "../functions/fact-row.ts";
import { guard, lightFunction, nowOf, outerFunction, refusalState, underWay } from "../functions/function.ts";
import { singlyState } from "../functions/singly.ts";
import { chainStatusOf } from "../rows.ts";
import { isOne } from "../functions/is-one.ts";
import type { Schema } from "../schema.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Begins chains. Each call in the batch is all or nothing by itself. */
export async function start<Tx>(
  store: Store<Tx>,
  calls: readonly StartCall[],
  options: CallOptions<Tx>,
): Promise<readonly Reply<readonly StartReply[]>[]> {
  const flat = noStarts();
  for (const [index, { starts }] of calls.entries()) for (const each of starts) flatten(flat, each, index);
  if (flat.starts.length === 0) return calls.map(() => ({ ok: true, value: [] }));
  if (flat.keyless && flat.links.length === 0) {
    const [only] = flat.starts;
    const plain =
      only !== undefined && flat.starts.length === 1
        ? { name: "start_one_v1", parameters: startParameters(only) }
        : { name: "start_plain_v1", parameters: [JSON.stringify(flat.starts)] };
    const [row] = await call(store, plain, options);
    const createdAt = row?.[0];
    // Null: an id is taken; which one, and whose call that refuses, is for the other function.
    if (createdAt !== null) return allBegun(calls, Number(createdAt));
  }
  const parameters = [JSON.stringify(flat.starts), JSON.stringify(flat.links)];
  const rows = await call(store, { name: "start_v1", parameters }, options);
  return repliesOf(calls, flat, rows.map(factOf));
}

function allBegun(calls: readonly StartCall[], createdAt: number): readonly Reply<readonly StartReply[]>[] {
  return calls.map(({ starts }) => ({ ok: true, value: starts.map((each) => plainChain(each, createdAt)) }));
}

function plainChain({ id, typeName, input, schedule }: JobStart, createdAt: number): StartReply {
  const due = schedule === undefined ? createdAt : "at" in schedule ? schedule.at : createdAt + schedule.afterMs;
  const job: StartedJob =
    due > createdAt
      ? { jobId: id, chainId: id, typeName, status: "scheduled", dueInMs: due - createdAt }
      : { jobId: id, chainId: id, typeName, status: "ready", dueInMs: undefined };
  return { id, deduplicated: false, status: "active", input, createdAt, jobs: [job] };
}

function repliesOf(
  calls: readonly StartCall[],
  { starts }: FlatStarts,
  facts: readonly Fact[],
): readonly Reply<readonly StartReply[]>[] {
  const refusals = new Map<number, Refusal>();
  const byStart = new Map<number, Fact>();
  for (const fact of facts) {
    if (fact.kind === "refused") refusals.set(fact.n, refusalOf(fact));
    else byStart.set(fact.n, fact);
  }
  const chains = calls.map((): (StartReply | undefined)[] => []);
  let jobs: StartedJob[] = [];
  // Parents stand before the starts written inline in them: the jobs of those go to the chain at the top.
  for (const { n, call: index, parent, input } of starts) {
    const fact = byStart.get(n);
    if (parent === undefined) {
      jobs = [];
      chains[index]?.push(fact && chainOf(fact, input, jobs));
    }
    if (fact?.kind === "begun") jobs.push(startedJobOf(fact));
  }
  return chains.map((own, index) => {
    const refusal = refusals.get(index);
    return refusal === undefined ? { ok: true, value: inPlace(own, own.length, "start") } : { ok: false, refusal };
  });
}

function chainOf(fact: Fact, input: string, jobs: readonly StartedJob[]): StartReply {
  const id = fact.chainId;
  if (fact.kind === "begun") {
    const status = fact.status === "failed" ? "failed" : "active";
    return { id, deduplicated: false, status, input, createdAt: fact.at, jobs };
  }
  const status = chainStatusOf(fact.status);
  return { id, deduplicated: true, status, input: fact.body ?? "", createdAt: fact.at, jobs };
}

/**
 * Starts without blockers and deduplication: two inserts. The savepoint around them costs nothing measurable (8.5 us of
 * server time a start in batches of 100, against 11 us with "on conflict do nothing").
 */
export function startPlainFunction(schema: Schema): string {
  const { quoted: s, positions } = schema;
  return lightFunction(schema, {
    name: "start_plain_v1",
    parameters: "p_alone text, p_now text, p_starts text",
    returns: "bigint",
    declare: `${underWay}  v_now double precision := ${nowOf("p_now")};`,
    body: `${guard("p_alone")}
  with starts as materialized (
    select i.*, nextval(${positions}) as position, ${dueOf("i", "v_now")} as due_at
    from json_to_recordset(p_starts::json) as i(${startRecord})),
  jobs as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_failure, status, chain_status, attempt, position,
      created_at, input, context)
    select i.id, i.id, 1, i.type, i.priority, coalesce(i.wait, 0), 0, 0, 0, i.position, v_now, i.input, i.context
    from starts i)
  insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
    has_blockers, type_name)
  select i.id, i.id, i.position, i.due_at, 0, 1, 0, 0, case when i.due_at > v_now then 1 else 0 end, ~i.priority, false, i.type
  from starts i;
  return v_now;
exception when unique_violation then
  return null;`,
  });
}

/** All starts: a refused call is rolled back to the savepoint together with the others, which then go again without it. */
export function startFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "start_v1",
    parameters: "p_alone text, p_now text, p_starts text, p_links text",
    returns: `table(${factColumns})`,
    declare: `  v_now double precision := ${nowOf("p_now")};
  v_starts jsonb := p_starts::jsonb;
  v_links jsonb := p_links::jsonb;
  v_skip integer[] := '{}';
  v_live boolean[];
  v_chains uuid[];
  v_singly boolean := false;
  v_refusal json;`,
    body: `${guard("p_alone")}
  loop
    begin
      if v_singly then
        select b.live, b.chains into v_live, v_chains from ${s}.begin_singly_v1(v_now, v_starts, v_links, v_skip) b;
        exit;
      end if;
      select b.live, b.chains into v_live, v_chains from ${s}.begin_v1(v_now, v_starts, v_skip, null, null) b;
      perform ${s}.link_v1(v_now, v_starts, v_links, v_live, v_chains, null);
      -- A chain that failed as it began, and one that was taken for another because of it.
      select bool_or(f.key_scope = 0 and f.chain_status > 1) into v_singly
      from unnest(v_live, v_chains) as i(is_live, chain) join ${s}.job f on ${isOne("f.id", "i.chain")}
      where not i.is_live;
      exit when v_singly is not true;
      raise exception 'one after the other' using errcode = '${singlyState}';
    exception
      when sqlstate '${singlyState}' then null;
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        v_skip := v_skip || (v_refusal->>'n')::integer;
        return query select ${factRow({ kind: "'refused'", n: "(v_refusal->>'n')::integer", body: "v_refusal::text" })};
    end;
  end loop;
  return query
  select ${factRow({
    kind: "case when v_live[i.n + 1] then 'begun' else 'present' end",
    n: "i.n",
    job_id: "j.id",
    chain_id: "j.id",
    type_name: "j.type_name",
    at: "j.created_at",
    wait: "o.due_at - v_now",
    status: `case when not v_live[i.n + 1] then j.chain_status::text else ${writtenStatus} end`,
    body: "case when not v_live[i.n + 1] then j.input end",
  })}
  from jsonb_to_recordset(v_starts) as i(${startRecord})
  join ${s}.job j on j.id = v_chains[i.n + 1]
  left join ${s}.open_job o on ${isOne("o.job_id", "i.id")}
  where i.call <> all(v_skip) and (v_live[i.n + 1] or i.parent is null)
  order by i.n;`,
  });
}
