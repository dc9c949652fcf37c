import { poolOf, typeOf, versionOf } from "../claim-names.ts";
import type { Schema } from "../schema.ts";
import { laneColumns } from "../limits/stored-limits.ts";
import { noteEnds } from "../ends/note-ends.ts";
import { innerFunction, refusalState, underWay } from "../sql-function.ts";

/**
 * A start as a record of the parameter `p_starts`. A start comes before the starts inside it that are its blockers (`parent`).
 * `type` is the claim name. `n` numbers them from 0, `call` is the number of the call. `w` is the order of writing: a job may wait for those written before.
 */
export const startRecord = `n integer, w integer, call integer, parent integer, id uuid, type text, input text, priority smallint,
  at double precision, after double precision, wait smallint, context text, key text, scope smallint, "window" double precision,
  blocked boolean, tags jsonb, limits json`;

/** The fields of a start without blockers, deduplication and tags. Each field more takes 300 instructions of the server for each start. */
export const plainStartRecord = `id uuid, type text, input text, priority smallint, at double precision, after double precision,
  wait smallint, context text`;

/** The starts of the parameter `p_starts` as rows. */
export const givenStarts = `jsonb_to_recordset(p_starts) as i(${startRecord})`;

/**
 * The same with what they wait for, see `storedWait`, and what happens at the end of the chain, see `storedEnds`. The end of the wait is
 * in `at` and `after`.
 */
const givenWrittenStarts = `jsonb_to_recordset(p_starts) as i(${startRecord}, waits jsonb, ends json)`;

/** Whether a start waits for signals until some moment. */
const isTimedWait = "(i.waits is not null and coalesce(i.at, i.after) is not null)";

/** The moment at which a start is due, an expression. */
export const dueOf = (start: string, now: string) =>
  `greatest(${now}, coalesce(${start}.at, ${now} + ${start}.after, ${now}))`;

/** The status of a job that was just written, from its row `o` in `open_job`. It has none if it failed because of a blocker. */
export const writtenStatus = (now: string) =>
  `case when o.job_id is null then 'failed' when o.waits and (o.state = 2 or o.due_at > ${now}) then 'waiting' when o.state = 2 then 'blocked' when o.state = 1 and o.due_at > ${now} then 'scheduled'
      else 'ready' end`;

/**
 * Rule "begin": writes the first jobs of chains, one for each start whose deduplication key is free. Where another chain holds the
 * key, that chain takes the place of the start, and the starts inside it begin nothing. An id that is taken is refused.
 *
 * `live` says by start whether it was written, `chains` which chain is the result. Jobs with blockers are written as blocked;
 * `block_v1` adds their blockers. `p_chain` and `p_step` are given by call where the call's own job continues a chain.
 */
export function beginFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "begin_v1",
    parameters: `p_now double precision, p_starts jsonb, p_skip integer[], p_chain uuid[], p_step integer[],
  out live boolean[], out chains uuid[]`,
    returns: "record",
    declare: `${underWay}${declarations}`,
    body: `${chooseCalls}
  if exists (select from ${givenStarts} where i.scope < 2) then
${takeKeys(s)}
${giveKeys}
${correctKeys(s)}
  end if;
${writeJobs(schema)}
${refuseTakenIds}
${writeOpenJobs(s)}
  -- Looks at the text only: most calls have no tags.
  if p_starts @? '$[*].tags' then
    insert into ${s}.tag (name, value, chain_id)
    select t.key, t.value, i.id from ${givenStarts} cross join jsonb_each_text(i.tags) t
    where live[i.n + 1];
  end if;
  if v_on_end then
${noteEnds(s, `select i.id, i.ends from ${givenWrittenStarts} where live[i.n + 1]`, "p_now")}
  end if;`,
  });
}

const declarations = `  v_start record;
  v_at integer;
  v_up integer;
  v_keys text[];
  v_firsts uuid[];
  v_holders uuid[];
  -- By key: what the start that takes it in this call asked for; null if none does.
  v_scopes smallint[];
  v_windows double precision[];
  v_parents integer[];
  v_written uuid[];
  v_on_end boolean;`;

const chooseCalls = `  -- Those of a scope above 1 are left to gather_v1.
  select array_agg(i.call <> all(p_skip) and (i.scope > 1) is not true order by i.n), array_agg(i.id order by i.n), array_agg(i.parent order by i.n)
  into live, chains, v_parents
  from ${givenStarts};`;

function takeKeys(s: string): string {
  return `    -- Take each key for the first start that asks for it. Seldom this start turns out not to need it.
    select k.keys, k.firsts, k.holders into v_keys, v_firsts, v_holders from ${s}.take_keys_v1(p_now, p_starts, p_skip) k;
    v_scopes := array_fill(null::smallint, array[coalesce(cardinality(v_keys), 0)]);
    v_windows := array_fill(null::double precision, array[coalesce(cardinality(v_keys), 0)]);`;
}

const giveKeys = `    -- Give the keys to starts, parents first: a start inside another begins only if that one does.
    for v_start in
      select i.* from ${givenStarts} where i.call <> all(p_skip) and (i.scope > 1) is not true order by i.n
    loop
      if v_start.parent is not null and not live[v_start.parent + 1] then
        live[v_start.n + 1] := false;
        chains[v_start.n + 1] := null;
      end if;
      continue when v_start.key is null or not live[v_start.n + 1];
      v_at := array_position(v_keys, v_start.key);
      if v_holders[v_at] is null then
        v_holders[v_at] := v_start.id;
        v_scopes[v_at] := v_start.scope;
        v_windows[v_at] := v_start."window";
      else
        live[v_start.n + 1] := false;
        chains[v_start.n + 1] := v_holders[v_at];
      end if;
      v_up := v_start.parent;
      while v_up is not null loop
        if chains[v_start.n + 1] = chains[v_up + 1] then
          raise exception 'refused' using errcode = '${refusalState}', detail = json_build_object('n', v_start.call,
            'code', 'blocker-cycle', 'id', chains[v_up + 1], 'references', json_build_array(chains[v_up + 1]))::text;
        end if;
        v_up := v_parents[v_up + 1];
      end loop;
    end loop;`;

/** Corrects the keys that were taken for a start which turned out not to need it. */
function correctKeys(s: string): string {
  return `    if v_firsts is distinct from v_holders then
      update ${s}.deduplication d set chain_id = k.holder, scope = k.scope, until = p_now + k."window"
      from unnest(v_keys, v_firsts, v_holders, v_scopes, v_windows) as k(key, first, holder, scope, "window")
      where d.key = any(array[k.key]) and k.scope is not null and k.holder <> k.first;
      delete from ${s}.deduplication d
      using unnest(v_keys, v_firsts, v_scopes) as k(key, first, scope)
      where d.key = any(array[k.key]) and d.chain_id = k.first and k.scope is null;
    end if;`;
}

function writeJobs({ quoted: s, positions }: Schema): string {
  return `  with starts as materialized (
    select i.*, nextval(${positions}) as position
    from (select * from ${givenWrittenStarts} order by w) i
    where live[i.n + 1]),
  written as (
    insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
      created_at, due_at, key, key_scope, key_until, tags, input, context, version, pool, limits, waits, received, on_end)
    select i.id,
      case when i.parent is null then coalesce(p_chain[i.call + 1], i.id) else i.id end,
      case when i.parent is null then coalesce(p_step[i.call + 1], 0) else 0 end + 1,
      ${typeOf("i.type")}, i.priority, coalesce(i.wait, 0), 0,
      case when i.parent is null and p_chain[i.call + 1] is not null then null else 0 end,
      0, i.position, p_now,
      -- Needed again when a retry blocks the job.
      case when i.blocked and ${dueOf("i", "p_now")} > p_now or ${isTimedWait} then ${dueOf("i", "p_now")} end,
      i.key, i.scope, p_now + i."window", i.tags::text, i.input, i.context,
      ${versionOf("i.type")}, ${poolOf("i.type")}, i.limits::text, i.waits::text, case when i.waits is not null then '[]' end,
      case when i.ends is not null then true end
    from starts i
    on conflict (id) do nothing
    returning id, on_end)
  select array_agg(id), bool_or(on_end) into v_written, v_on_end from written;`;
}

const refuseTakenIds = `  if coalesce(cardinality(v_written), 0) < (select count(*) from unnest(live) as l(is_live) where is_live) then
    select i.call, i.id into v_start
    from (
      select i.*, row_number() over (partition by i.id order by i.w) as nth
      from ${givenStarts} where live[i.n + 1]) i
    where i.nth > 1 or i.id <> all(coalesce(v_written, '{}')) order by i.call, i.w limit 1;
    raise exception 'refused' using errcode = '${refusalState}',
      detail = json_build_object('n', v_start.call, 'code', 'duplicate-id', 'id', v_start.id)::text;
  end if;`;

function writeOpenJobs(s: string): string {
  return `  insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank, has_blockers,
    type_name, waits, lane, lane_weight, lane_holds, on_end)
  select j.id, j.chain_id, j.position, ${dueOf("i", "p_now")}, 0, j.step, 0, 0,
    case when i.blocked or i.waits is not null and not ${isTimedWait} then 2 when ${isTimedWait} or i.limits is not null or ${dueOf("i", "p_now")} > p_now then 1 else 0 end, ~j.priority,
    coalesce(i.blocked, false), i.type, case when i.waits is not null then true end, ${laneColumns("i.limits")}, j.on_end
  from ${givenWrittenStarts} join ${s}.job j on j.id = any(array[i.id])
  where live[i.n + 1];`;
}
