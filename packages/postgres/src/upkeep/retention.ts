import { guard, innerFunction, now, outerFunction } from "../sql-function.ts";
import type { Schema } from "../schema.ts";
import { chorePass, passColumns, passVariables, type ChorePass } from "./chore.ts";

/** A chain that was active or needed is looked at again after as long as it has existed, within these bounds. */
const [leastPauseMs, mostPauseMs] = [60_000, 86_400_000];

/**
 * Deletes chains that ended longer ago than their limit. The cost of a pass depends on what it deletes. It looks at
 *
 * - entries of `expiry` that are due; a chain cannot have expired before the moment of its entry,
 * - chains in the order of their positions, each once. A chain that stays gets an entry, except failed and cancelled ones, which
 *   have one. The pass ends at chains that began too recently to have expired.
 */
export function retentionFunction(schema: Schema): string {
  const { quoted: s } = schema;
  const walk = chorePass(schema, "'chains'", "positions");
  const entries = chorePass(schema, "'expiry ' || v_kind", "moments");
  return outerFunction(schema, {
    name: "retention_v1",
    parameters: "p_alone text, p_now text, p_completed_ms text, p_failed_ms text, p_limit text",
    returns: `table(${passColumns})`,
    declare: `  v_now double precision := ${now};
${passVariables}
  v_limit integer := p_limit::integer;
  v_completed_until double precision := v_now - p_completed_ms::double precision;
  v_failed_until double precision := v_now - p_failed_ms::double precision;
  v_until double precision;
  v_removed integer := 0;
  v_looked integer := 0;
  v_chains uuid[];
  v_reached double precision;
  v_found integer;
  v_last bigint;
  v_more boolean := false;
  v_ended boolean := false;`,
    body: `${guard}
  -- One pass at a time: the session that has locked this row may also lock those of the entries.
  perform from ${s}.upkeep u where u.chore = 'chains' for update skip locked;
  if not found then
    return query select 0, 0;
    return;
  end if;
  for v_kind in 0 .. 2 loop
    v_until := case v_kind when 2 then v_failed_until else v_completed_until end;
    continue when v_until is null;
${entries.begin}
    select array_agg(e.chain_id), max(e.since) into v_chains, v_reached
    from (
      select e.chain_id, e.since from ${s}.expiry e
      where e.kind = v_kind and e.since >= v_from and e.since <= v_until
      order by e.since limit v_limit - v_removed for update skip locked) e;
    if v_chains is not null then
      v_more := v_more or cardinality(v_chains) >= v_limit - v_removed;
      v_removed := v_removed + ${s}.expire_v1(v_now, v_completed_until, v_failed_until, v_chains);
      perform ${s}.keep_entries_v1(v_now, v_until, v_chains, v_kind);
    end if;
${entries.finish("coalesce(v_reached, v_from)")}
  end loop;
  if v_completed_until is not null then
${walkAlong(s, walk)}
  end if;
  return query select v_removed, (v_more or v_removed >= v_limit)::integer;`,
  });
}

/** Looks at chains in the order of their positions, as far as they are old enough. */
const walkAlong = (s: string, { begin, finish }: ChorePass) => `${begin}
    v_last := v_from;
    while v_removed < v_limit and v_looked < 4 * v_limit + 1000 loop
      -- Chains from a clock that was ahead are treated like old ones.
      select array_agg(c.id) filter (where c.position <= c.last), max(c.last), count(*) filter (where c.position <= c.last)
      into v_chains, v_reached, v_found
      from (
        select f.id, f.position, max(f.position) filter (where f.created_at <= v_completed_until or f.created_at > v_now) over () as last
        from (
          select f.id, f.position, f.created_at from ${s}.job f where f.step = 1 and f.position > v_last
          order by f.position limit least(v_limit - v_removed, 500)) f) c;
      if v_found = 0 then
        v_ended := true;
        exit;
      end if;
      v_looked := v_looked + v_found;
      v_last := v_reached;
      v_removed := v_removed + ${s}.expire_v1(v_now, v_completed_until, v_failed_until, v_chains);
      insert into ${s}.expiry (chain_id, kind, since)
      select f.id, 0, ${nextLook("v_completed_until")}
      from ${s}.job f left join ${s}.job e on e.id = any(array[f.ended_job_id])
      where f.id = any(v_chains) and f.chain_status < 2
      on conflict (chain_id, kind) do nothing;
    end loop;
    v_more := v_more or not v_ended;
${finish("v_last")}`;

/**
 * The moment, minus the limit, at which a chain that stays is looked at again. An ended chain: exactly when it expires. An active
 * one: no earlier than if it ended now. One that another chain needs, or that is locked: after a pause.
 */
const nextLook = (until: string) => `case
        when f.chain_status = 0 then v_now + greatest(0, ${pause} - (v_now - ${until}))
        when e.ended_at > ${until} then e.ended_at
        else ${until} + ${pause} end`;

const pause = `least(greatest(v_now - f.created_at, ${leastPauseMs}), ${mostPauseMs})`;

/**
 * Deletes those of the chains that have expired and that no job needs, unless a chain is active that was started because they have
 * stopped. Waits for no lock.
 */
export function expireFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "expire_v1",
    parameters:
      "p_now double precision, p_completed_until double precision, p_failed_until double precision, p_chains uuid[]",
    returns: "integer",
    declare: "  v_chains uuid[];",
    body: `  -- First the lock, which retries and starts that wait for the chain take as well, then the conditions.
  v_chains := array(
    select f.id from ${s}.job f where f.id = any(p_chains) and f.chain_status > 0 order by f.id for update skip locked);
  v_chains := array(
    select f.id from ${s}.job f join ${s}.job e on e.id = any(array[f.ended_job_id])
    where f.id = any(v_chains) and e.ended_at <= case f.chain_status when 2 then p_failed_until else p_completed_until end
      and (
        select true from ${s}.blocker b
        where b.chain_id = f.id and (select j.status from ${s}.job j where j.id = b.job_id) <> 1 limit 1) is null
      and (f.on_end is null or not exists (
        select from ${s}.compensation c join ${s}.job x on x.id = any(array[c.follower])
        where c.chain_id = any(array[f.id]) and x.chain_status = 0)));
  perform ${s}.delete_chains_v1(v_chains);
  return cardinality(v_chains);`,
  });
}

/** Moves the entries of chains that stay to the next moment, and deletes those of chains that are deleted or have another entry. */
export function keepEntriesFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "keep_entries_v1",
    parameters: "v_now double precision, p_until double precision, p_chains uuid[], p_kind integer",
    returns: "void",
    declare: "",
    body: `  update ${s}.expiry x set since = ${nextLook("p_until")}
  from ${s}.job f left join ${s}.job e on e.id = any(array[f.ended_job_id])
  where x.chain_id = any(p_chains) and x.kind + 0 = p_kind and f.id = any(array[x.chain_id])
    and case p_kind when 0 then f.chain_status < 2 when 1 then f.chain_status <> 2 else f.chain_status = 2 end;
  delete from ${s}.expiry x where x.chain_id = any(p_chains) and x.kind + 0 = p_kind and x.since + 0 <= p_until;`,
  });
}
