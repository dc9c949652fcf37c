import type { Schema } from "../schema.ts";
import { givenStarts } from "./begin.ts";
import { innerFunction } from "../sql-function.ts";
import { givenBlockers } from "./block.ts";

/**
 * Locks the rows that outcomes will write or rely on, except those that another transaction has locked, and returns the numbers of
 * the outcomes that need one of those. The rows are: the jobs' open rows, the rows of the jobs and chains, the deduplication keys
 * that end with a chain, and the chains that a continuation waits for. Waits for no lock.
 */
export function lockFreeRowsFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "lock_free_rows_v1",
    parameters: "p_fenced json, p_deferred json, p_starts jsonb, p_blockers jsonb",
    returns: "integer[]",
    declare: `  v_n integer[];
  v_id uuid[];
  v_ends boolean[];
  v_holds boolean[];
  v_writes boolean[];
  v_free uuid[];
  v_rows uuid[];
  v_shared uuid[];
  v_keys text[];
  v_busy integer[];`,
    body: `${readOutcomes}
${lockOpenRows(s)}
${lockWrittenRows(s)}
${lockKeys(s)}
${lockChainsOfBlockers(s)}
${lockTopics(s)}
  return v_busy;`,
  });
}

const readOutcomes = `  select array_agg(i.n), array_agg(i.id), array_agg(i.ends), array_agg(i.holds), array_agg(i.writes) into v_n, v_id, v_ends, v_holds, v_writes
  from (
    select i.n, i.id, i.next is null as ends, i.next is null or i.type is null as holds, true as writes
    from json_to_recordset(p_fenced) as i(n integer, id uuid, next uuid, type text)
    union all
    select i.n, i.id, false, false, i.errors is not null from json_to_recordset(p_deferred) as i(n integer, id uuid, errors text)) i;`;

function lockOpenRows(s: string): string {
  return `  v_free := array(select o.job_id from ${s}.open_job o where o.job_id = any(v_id) order by o.job_id for update skip locked);
  v_busy := array(
    select i.n from unnest(v_n, v_id) as i(n, id)
    where i.id <> all(v_free) and (select true from ${s}.open_job o where o.job_id = i.id));`;
}

function lockWrittenRows(s: string): string {
  return `  -- Of the outcomes whose open rows are free: the job's own row, and its chain's first row if the chain ends with it or its next job is written like a start.
  v_rows := array(
    select distinct r.id
    from unnest(v_id, v_holds, v_writes) as i(id, holds, writes)
${writtenRows(s)}
    where r.is_wanted and i.id = any(v_free));
  v_free := array(select j.id from ${s}.job j where j.id = any(v_rows) order by j.id for no key update skip locked);
  v_busy := v_busy || array(
    select distinct i.n
    from unnest(v_n, v_id, v_holds, v_writes) as i(n, id, holds, writes)
${writtenRows(s)}
    where r.is_wanted and r.id <> all(v_free) and i.n <> all(v_busy));`;
}

/** Joins each outcome `i` with the rows that it writes: the job's own row, and its chain's first row if the chain ends with it. */
function writtenRows(s: string): string {
  return `    join ${s}.open_job o on o.job_id = any(array[i.id]),
    lateral (values (o.job_id, i.writes), (o.chain_id, i.holds)) as r(id, is_wanted)`;
}

function lockKeys(s: string): string {
  return `  v_keys := array(
    select d.key from ${s}.deduplication d
    where d.key = any(array(select f.key from ${s}.job f where f.id = any(v_free) and f.key_scope = 0))
    order by d.key for update skip locked);
  v_busy := v_busy || array(
    select i.n
    from unnest(v_n, v_id, v_ends) as i(n, id, ends)
    join ${s}.open_job o on o.job_id = any(array[i.id])
    join ${s}.job f on f.id = any(array[o.chain_id])
    where i.ends and f.key_scope = 0 and f.key <> all(v_keys) and i.n <> all(v_busy)
      and (select true from ${s}.deduplication d where d.key = f.key));`;
}

function lockChainsOfBlockers(s: string): string {
  return `  if p_blockers is not null then
    v_rows := array(select distinct l.chain from ${givenBlockers} where l.chain is not null);
    v_shared := array(select j.id from ${s}.job j where j.id = any(v_rows) order by j.id for share skip locked);
    v_busy := v_busy || array(
      select distinct i.call
      from ${givenBlockers} join ${givenStarts} on i.n = l.job
      where l.chain <> all(v_shared) and i.call <> all(v_busy)
        and (select true from ${s}.job j where j.id = l.chain));
  end if;`;
}

function lockTopics(s: string): string {
  return `  if p_starts @? '$[*].waits.topics' then
    v_busy := v_busy || array(
      select i.call from jsonb_to_recordset(p_starts) as i(call integer, waits jsonb)
      where i.waits->'topics' is not null and i.call <> all(v_busy)
        and not ${s}.lock_topics_v1(array(select jsonb_array_elements_text(i.waits->'topics')), false, true));
  end if;`;
}
