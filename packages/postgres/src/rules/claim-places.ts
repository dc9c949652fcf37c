import { typeOf } from "../claim-names.ts";
import { resultRow } from "../result-rows.ts";
import { wholeMs } from "../rows.ts";
import { literal, type Schema } from "../schema.ts";
import { manySkipped } from "./many-skipped.ts";

/*
 * The places in the index of ready jobs where claims begin, see `claimAnyFunction`. `createClaimStart` keeps them between claims.
 */

/** Identifies the server process, so that a failover is noticed even if no call has failed. */
export const thisServer = "(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text";

/** Variables of `claim_any_v1` about the places where it begins, and those that it returns. */
export function startVariables({ quoted: s, positions }: Schema): string {
  return `  ${began};
  v_newest bigint := case when p_start is not null then pg_sequence_last_value(${positions}) end;
  v_start_at jsonb := case when p_start is null then null when p_start::jsonb->>'server' = ${thisServer} then p_start::jsonb end;
  v_known smallint[] := array(select k.rank::smallint from jsonb_object_keys(v_start_at->'ranks') as k(rank) order by 1);
  v_from bigint := coalesce(v_start_at->>'from', '0')::bigint;
  v_passed bigint := ${passedBefore(s)};
  v_first jsonb := '[]';`;
}

/** About how many rows of open jobs are dead, but still there. */
export function deadRows(s: string): string {
  return `pg_stat_get_dead_tuples(${literal(`${s}.open_job`)}::regclass)`;
}

/** When this function call began, by the clock of the server. */
export const began = "v_began timestamptz := clock_timestamp()";

/**
 * The milliseconds since then, times the number of workers that look for these types: each of their processes looks from the beginning
 * by itself, and together they may take a share of the time that does not grow with them. With 16 processes on two cores and a pause
 * after each look that did not depend on their number, looks took a sixth of the server's time. Needs `v_began`, `v_now` and `v_types`.
 */
export function tookMs(s: string): string {
  return `extract(epoch from clock_timestamp() - v_began) * 1000 * greatest(1, (
    select count(*) from ${s}.worker w
    where w.alive_until > v_now and exists (
      select from json_array_elements_text(w.type_names::json) as n(name), unnest(v_types) as c(name) where n.name = ${typeOf("c.name")})))`;
}

/** The index whose entries a claim counts. */
function readyIndex(s: string): string {
  return literal(`${s}.open_job_ready`);
}

/** If this claim began at known places, or had to skip many index entries, notes where it found its first rows. */
export function noteFirstPlaces(s: string): string {
  return `      if v_turn = 2 and (v_start_at is not null or ${hasSkippedMany(s)}) then
        v_first := v_first || (
          select jsonb_agg(jsonb_build_array(v_rank, o.type_name, o.position))
          from (
            select o.type_name, min(o.position) as position from ${s}.open_job o where o.job_id = any(v_jobs) group by o.type_name) o);
      end if;`;
}

/** The entries that the transaction has passed before this claim, below zero: the first value of `v_passed`. */
export function passedBefore(s: string): string {
  return `-pg_stat_get_xact_tuples_returned(${readyIndex(s)}::regclass)`;
}

/** Whether the claim has passed many more entries than it has taken jobs. */
export function hasSkippedMany(s: string): string {
  return `v_passed + pg_stat_get_xact_tuples_returned(${readyIndex(s)}::regclass) > ${manySkipped("p_limit::integer - v_left")}`;
}

/**
 * Without a place: no job of these types is before the newest position, except those that are not committed yet. A claim that left out
 * paused types has not looked at them, so what it returns claims nothing about them: it raises neither the moment before which no job
 * is due nor, if it began at no places, the position before which there is none.
 */
export function returnStart(schema: Schema): string {
  const { quoted: s } = schema;
  return `  if v_start_at is not null or ${hasSkippedMany(s)} then
    return query select ${claimStartRow(schema, {
      places: "v_first",
      ranks: "v_ranks",
      newest: "case when v_paused <> '{}' and v_start_at is null then 0 else v_newest end",
      due: "case when v_paused <> '{}' then greatest(v_due_from, 0) else v_due_until end",
      returned: `array(
        select o.job_id from unnest(v_returned) as r(id) join ${s}.open_job o on o.job_id = any(array[r.id])
        where o.state <= 0 and o.leased_until <= v_now)`,
      released: "case when v_is_releasing then v_release_from else coalesce(v_newest, 0) end",
      inbox: "v_inbox_from",
      tookMs: `case when v_start_at is null then ${tookMs(s)} else 0 end`,
    })};
  end if;`;
}

interface StartText {
  readonly places: string;
  /** May contain null. */
  readonly ranks: string;
  /** Null: the newest position now. */
  readonly newest: string;
  readonly due: string;
  readonly returned: string;
  readonly released: string;
  readonly inbox: string;
  readonly tookMs: string;
}

/** The row with what `createClaimStart` remembers. */
export function claimStartRow({ quoted: s, positions }: Schema, text: StartText): string {
  const { places, ranks, newest, due, returned, released, inbox, tookMs: took } = text;
  return resultRow("claimStart", {
    found: `json_build_object('server', ${thisServer}, 'places', ${places}, 'ranks', array_remove(${ranks}, null), 'newest', coalesce(${newest}, pg_sequence_last_value(${positions})),
      'oldestOpen', pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 'nextId', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
      'due', ${wholeMs(due)}, 'returned', ${returned}, 'released', ${released}, 'inbox', ${inbox}, 'dead', ${deadRows(s)}, 'tookMs', ${took})::text`,
  });
}
