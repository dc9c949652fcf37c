import { resultColumns, resultRow } from "../result-rows.ts";
import { reasonCodeOf } from "../schedule-rows.ts";
import type { Schema } from "../schema.ts";
import { beginWaits } from "../signals/begin-waits.ts";
import { guard, now, outerFunction } from "../sql-function.ts";
import { gatherStarts, startedRows } from "./start.ts";

/** An item as a record of the parameter `p_items`, numbered from 0. Without `next` its schedule does not advance. */
const givenItems = `jsonb_to_recordset(v_items) as i(n integer, id text, revision integer, next double precision, new_next double precision,
  last double precision, tz text, missed bigint)`;

/** A start as a record of the parameter `p_ticks`, with the number that it has in `p_starts`. `chain` is its own id. */
const givenTicks = `jsonb_to_recordset(v_ticks) as k(n integer, item integer, schedule text, at double precision, chain uuid,
  is_gap boolean, is_skip boolean)`;

/** The starts about which nothing is decided yet, of schedules that this call has locked. */
const pendingTicks = `(select k.* from ${givenTicks} where v_free[k.item + 1] and v_state[k.n + 1] = 0) k`;

/** Whether the chain of the start before is active, and this start is left out for it. */
const overlaps = "k.is_skip and v_last[k.item + 1] = any(v_active)";

/**
 * Rule "tick": starts the chains of ticks, puts them on record, and advances their schedules, in one transaction. It waits for no lock of
 * a schedule. The lock of the schedule's row keeps other ticks, edits and backfills away; the primary key of `tick` is what
 * starts an instant at most once, whatever a clock or a restored backup says.
 *
 * A start that must not overlap depends on the one before it, so starts of one schedule may take several rounds. Most calls take one.
 */
export function tickFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "tick_v1",
    parameters: "p_alone text, p_now text, p_items text, p_ticks text, p_skipped text, p_starts text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_items jsonb := p_items::jsonb;
  v_ticks jsonb := p_ticks::jsonb;
  v_starts jsonb := p_starts::jsonb;
  v_free boolean[];
  v_last uuid[];
  -- Of each start: 0 undecided, 1 started, 2 known, 3 left out for an overlap. Then its chain, or the active one.
  v_state integer[] := array_fill(0, array[jsonb_array_length(v_starts)]);
  v_result uuid[] := '{}';
  v_is_live boolean[] := '{}';
  v_is_announced boolean[] := '{}';
  v_overlaps integer[];
  v_active uuid[];
  v_begun uuid[];
  -- Of a round.
  v_skip integer[];
  v_live boolean[];
  v_chains uuid[];
  v_announced boolean[];
  v_gaps text[];
  v_tick record;`,
    body: `${guard}
${lockSchedules(s)}
  while exists (select from ${pendingTicks}) loop
${leaveOut(s)}
${putOnRecord(s)}
${begin(s)}
  end loop;
${skip(s)}
${advance(s)}
  return query
  select ${resultRow("taken", { n: "i.n" })} from ${givenItems} where not v_free[i.n + 1]
  union all
  select ${resultRow("known", { n: "k.n" })} from ${givenTicks} where v_state[k.n + 1] = 2
  union all
  select ${resultRow("overlap", { n: "k.n", chainId: "v_result[k.n + 1]" })} from ${givenTicks} where v_state[k.n + 1] = 3;
  v_live := v_is_live;
  v_chains := v_result;
  v_announced := v_is_announced;
  return query
  select ${startedRows(s)}
  where v_state[i.n + 1] = 1
  order by i.n;`,
  });
}

function lockSchedules(s: string): string {
  return `  select array_agg(l.id is not null order by i.n), array_agg(l.last_chain_id order by i.n), array_agg(0 order by i.n),
    array_agg(i.id) filter (where i.next is null)
  into v_free, v_last, v_overlaps, v_gaps
  from ${givenItems} left join lateral (
    select s.id, s.last_chain_id from ${s}.schedule s
    where s.id = any(array[i.id])
      and (i.next is null or s.revision = i.revision and s.next_at = i.next and s.paused_at is null and s.next_at <= v_now)
    for update skip locked) l on true;`;
}

/** Leaves out starts for an overlap. Of two on record with the same instant the first one stays. */
function leaveOut(s: string): string {
  return `    v_active := array(
      select f.id from ${s}.job f
      where f.id = any(array(select v_last[k.item + 1] from ${pendingTicks} where k.is_skip)) and f.chain_status = 0);
    if v_active <> '{}' then
      for v_tick in
        select k.n, k.item, t.at is not null and (t.chain_id is not null or not k.is_gap)${isForgotten(s)} as is_known
        from ${pendingTicks} left join ${s}.tick t on t.schedule_id = any(array[k.schedule]) and t.at = any(array[k.at])
        where ${overlaps}
      loop
        v_state[v_tick.n + 1] := case when v_tick.is_known then 2 else 3 end;
        v_result[v_tick.n + 1] := v_last[v_tick.item + 1];
        v_overlaps[v_tick.item + 1] := v_overlaps[v_tick.item + 1] + 1 - v_tick.is_known::integer;
      end loop;
      insert into ${s}.tick (schedule_id, at, reason, made_at)
      select k.schedule, k.at, ${reasonCodeOf("overlap")}, v_now
      from ${givenTicks} where v_state[k.n + 1] = 3 order by k.schedule collate "C", k.at
      on conflict (schedule_id, at) do nothing;
    end if;`;
}

/** Whether upkeep may have forgotten a tick of this instant. */
function isForgotten(s: string): string {
  return ` or k.is_gap and exists (
          select from ${s}.schedule s where s.id = any(array[k.schedule]) and k.at between s.forgotten_from and s.forgotten_until)`;
}

/** A start that fills a gap replaces a tick that has no chain. All others begin only where there is no tick. */
function putOnRecord(s: string): string {
  return `    with planned as materialized (
      select k.*, row_number() over (partition by k.item order by k.n) as nth from ${pendingTicks}),
    written as (
      insert into ${s}.tick as t (schedule_id, at, chain_id, made_at)
      select k.schedule, k.at, k.chain, v_now
      from planned k
      where (k.nth = 1 or not k.is_skip) and (not k.is_gap or not (false${isForgotten(s)}))
      order by k.schedule collate "C", k.at
      on conflict (schedule_id, at) do update set chain_id = excluded.chain_id, reason = null, made_at = excluded.made_at
        where t.chain_id is null and t.schedule_id = any(v_gaps)
      returning t.chain_id)
    select array(select w.chain_id from written w) into v_begun;
    for v_tick in
      select k.n from (
        select k.*, row_number() over (partition by k.item order by k.n) as nth from ${pendingTicks}) k
      where (k.nth = 1 or not k.is_skip) and k.chain <> all(v_begun)
    loop
      v_state[v_tick.n + 1] := 2;
    end loop;`;
}

function begin(s: string): string {
  return `    if v_begun <> '{}' then
      v_skip := array(select k.n from ${givenTicks} where k.chain <> all(v_begun));
      select b.live, b.chains into v_live, v_chains from ${s}.begin_v1(v_now, v_starts, v_skip, null, null) b;
${gatherStarts(s)}
${beginWaits(s, "v_starts", "v_now, v_starts, v_live")}
      for v_tick in select k.n, k.item from ${givenTicks} where k.chain = any(v_begun) order by k.n loop
        v_state[v_tick.n + 1] := 1;
        v_is_live[v_tick.n + 1] := v_live[v_tick.n + 1];
        v_is_announced[v_tick.n + 1] := v_announced[v_tick.n + 1];
        v_result[v_tick.n + 1] := v_chains[v_tick.n + 1];
        v_last[v_tick.item + 1] := v_chains[v_tick.n + 1];
      end loop;
      -- Where another chain has the deduplication key, that chain is on record.
      update ${s}.tick t set chain_id = v_chains[k.n + 1]
      from ${givenTicks}
      where k.chain = any(v_begun) and not v_live[k.n + 1]
        and t.schedule_id = any(array[k.schedule]) and t.at = any(array[k.at]);
    end if;`;
}

function skip(s: string): string {
  return `  if p_skipped <> '[]' then
    insert into ${s}.tick (schedule_id, at, reason, made_at)
    select k.schedule, k.at, k.reason, v_now
    from json_to_recordset(p_skipped::json) as k(item integer, schedule text, at double precision, reason smallint)
    where v_free[k.item + 1] order by k.schedule collate "C", k.at
    on conflict (schedule_id, at) do nothing;
  end if;`;
}

function advance(s: string): string {
  return `  update ${s}.schedule s set next_at = i.new_next, last_at = i.last, tz_version = i.tz, last_chain_id = v_last[i.n + 1],
    missed_count = s.missed_count + i.missed, skipped_count = s.skipped_count + v_overlaps[i.n + 1]
  from ${givenItems}
  where s.id = any(array[i.id]) and i.next is not null and v_free[i.n + 1];`;
}
