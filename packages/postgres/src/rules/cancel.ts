import { typeOf } from "../claim-names.ts";
import { leavesLane } from "../limits/give-back.ts";
import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, innerFunction, now, outerFunction } from "../sql-function.ts";
import { newestJob } from "../ends/pass-compensations.ts";
import { leavesTopics } from "../signals/begin-waits.ts";
import { closeGates } from "./gates.ts";

/** Cancels chains, see `cancel_chains_v1`. */
export function cancelFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "cancel_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};`,
    body: `${guard}
  return query select * from ${s}.cancel_chains_v1(v_now, p_items::json);`,
  });
}

/**
 * Rule "cancel": active chains end as cancelled. All of them end before the releases that follow, so that a chain which waits for
 * another one of the call is cancelled too, and does not fail because of it. All or nothing.
 *
 * An item with `own` also cancels the chains that were started inline as blockers of its open job and for which no one else waits. They
 * are looked for before anything is locked, so that the open jobs of all chains are locked in the order of the chains: then the gates,
 * then the first rows. Those that appear between the look and the locks are locked after that.
 */
export function cancelChainsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "cancel_chains_v1",
    parameters: "p_now double precision, p_items json",
    returns: `table(${resultColumns})`,
    declare: declarations,
    body: `  select array_agg(i.chain), array_agg(i.n) filter (where i.own), array_agg(i.chain) filter (where i.own)
  into v_items, v_own_n, v_own
  from ${items};
  if v_own is not null then
    v_more := (select b.chains from ${s}.own_blockers_v1(v_own_n, v_own) b);
  end if;
${lockOpenJobs(s)}
  if v_refusal is not null then
    return query select ${resultRow("refused", { n: "null", refusal: "v_refusal" })};
    return;
  end if;
  if v_own is not null then
${lockMoreBlockers(s)}
  end if;
${closeAllGates}
  if v_with <> '{}' then
${keepNeededBlockers(s)}
  end if;
${deleteOpenJobs(s)}
${endAsCancelled(s)}
${followCancelled(s)}
  if v_broken is not null then
    return query select * from ${s}.release_v1(p_now, null, null, v_broken, v_broken_n);
  end if;`,
  });
}

const declarations = `  v_items uuid[];
  v_own_n integer[];
  v_own uuid[];
  v_with uuid[] := '{}';
  v_with_n integer[] := '{}';
  v_with_job uuid[] := '{}';
  v_locked uuid[] := '{}';
  v_more uuid[];
  v_closed uuid[];
  v_item record;
  v_found record;
  v_refusal text;
  v_refused integer;
  v_n integer[];
  v_job uuid[];
  v_reason text[];
  v_chain uuid[];
  v_type text[];
  v_attempt integer[];
  v_fence integer[];
  v_by text[];
  v_until double precision[];
  v_marked uuid[];
  v_broken uuid[];
  v_broken_n integer[];`;

const items = "json_to_recordset(p_items) as i(n integer, chain uuid, reason text, own boolean)";

/** Locks the open jobs of the chains, and notes the first refusal. */
function lockOpenJobs(s: string): string {
  return `  for v_item in
    select i.*, row_number() over (partition by i.chain order by i.n) as nth
    from (
      select i.n, i.chain, i.reason from ${items}
      union all select null, w.id, null from unnest(v_more) as w(id) where w.id <> all(v_items)) i
    order by i.chain, i.n
  loop
    if v_item.nth = 1 then
      select f.job_id, f.refusal into v_found from ${s}.open_step_v1(v_item.chain, null) f;
    else
      select null::uuid as job_id, json_build_object('code', 'chain-not-active', 'id', v_item.chain, 'actual', 'cancelled')::text as refusal
      into v_found;
    end if;
    if v_item.n is null then
      v_locked := v_locked || v_item.chain;
    elsif v_found.refusal is null then
      v_n := v_n || v_item.n;
      v_job := v_job || v_found.job_id;
      v_chain := v_chain || v_item.chain;
      v_reason := v_reason || v_item.reason;
    elsif v_refused is null or v_item.n < v_refused then
      v_refused := v_item.n;
      v_refusal := v_found.refusal;
    end if;
  end loop;`;
}

/** Looks again under the locks. */
function lockMoreBlockers(s: string): string {
  return `    loop
      select b.n, b.chains into v_with_n, v_with from ${s}.own_blockers_v1(v_own_n, v_own) b;
      v_more := array(select w.id from unnest(v_with) as w(id) where w.id <> all(v_locked) and w.id <> all(v_items) order by w.id);
      exit when v_more = '{}';
      perform ${s}.open_step_v1(w.id, null) from unnest(v_more) as w(id);
      v_locked := v_locked || v_more;
    end loop;`;
}

/** In the order of the chains. */
const closeAllGates = `  v_closed := '{}';
  for v_item in select c.id from unnest(v_chain || v_with) as c(id) order by c.id loop
${closeGates("v_item.id", "v_closed")}
    v_closed := v_closed || v_item.id;
  end loop;`;

/** Adds the blockers for which no one else waits to the chains that are cancelled. */
function keepNeededBlockers(s: string): string {
  return `    perform from ${s}.job f where f.id = any(v_chain || v_with) order by f.id for no key update;
    select coalesce(array_agg(o.job_id order by w.nth), '{}'), coalesce(array_agg(w.id order by w.nth), '{}'), array_agg(w.n order by w.nth)
    into v_with_job, v_with, v_with_n
    from unnest(v_with, v_with_n) with ordinality as w(id, n, nth)
    cross join lateral (
      select o.job_id from ${s}.open_job o where o.job_id = ${newestJob(s, "w.id")} and o.attempt >= 0 offset 0) o;
    v_more := ${s}.unneeded_v1(v_job, v_with, v_with_job);
    select v_n || array_agg(w.n order by w.nth), v_job || array_agg(w.job_id order by w.nth),
      v_reason || array_agg(i.reason order by w.nth)
    into v_n, v_job, v_reason
    from unnest(v_with, v_with_n, v_with_job) with ordinality as w(id, n, job_id, nth)
    join ${items} on i.n = w.n
    where w.id = any(v_more);`;
}

function deleteOpenJobs(s: string): string {
  return `  with gone as (
    delete from ${s}.open_job o using unnest(v_n, v_job, v_reason) as i(n, job_id, reason) where o.job_id = any(array[i.job_id])
    returning i.n, i.reason, o.job_id, o.chain_id, ${typeOf("o.type_name")} as type_name, o.attempt, o.fence, o.leased_by,
      o.leased_until, o.on_end, ${leavesLane(s)}, ${leavesTopics(s)})
  select array_agg(g.n), array_agg(g.job_id), array_agg(g.chain_id), array_agg(g.type_name), array_agg(g.attempt),
    array_agg(g.fence), array_agg(g.leased_by), array_agg(g.reason), array_agg(g.leased_until),
    array_agg(g.job_id) filter (where g.on_end)
  into v_n, v_job, v_chain, v_type, v_attempt, v_fence, v_by, v_reason, v_until, v_marked
  from gone g;`;
}

function endAsCancelled(s: string): string {
  return `  select c.broken, c.broken_n into v_broken, v_broken_n
  from ${s}.end_v1(p_now, v_n, v_job, v_chain, v_type, array_fill(3::smallint, array[cardinality(v_n)]), null, null, null,
    v_attempt, v_fence, null, null, null, v_reason) c;
  return query
  select ${resultRow("cancelled", {
    n: "c.n",
    jobId: "c.job_id",
    chainId: "c.chain_id",
    typeName: "c.type_name",
    workerId: "c.leased_by",
    entryType: "f.type_name::text",
    entryInput: "f.input",
    entryVersion: "f.version::integer",
  })}
  from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
  join ${s}.job f on f.id = any(array[c.chain_id])
  where c.chain_id = any(v_items)
  order by c.n;
  if v_with <> '{}' then
    return query
    select ${resultRow("alsoCancelled", {
      n: "c.n",
      jobId: "c.job_id",
      chainId: "c.chain_id",
      typeName: "c.type_name",
      workerId: "c.leased_by",
    })}
    from unnest(v_n, v_job, v_chain, v_type, v_by) as c(n, job_id, chain_id, type_name, leased_by)
    where c.chain_id <> all(v_items);
  end if;`;
}

function followCancelled(s: string): string {
  return `  if v_marked is not null then
    return query
    select f.* from (
      select array_agg(i.n order by i.n) as n, array_agg(i.job_id order by i.n) as jobs, array_agg(i.until order by i.n) as until
      from unnest(v_n, v_job, v_until) as i(n, job_id, until) where i.job_id = any(v_marked)) i,
      lateral ${s}.follow_ends_v1(p_now, i.n, i.jobs, i.until) f;
  end if;`;
}
