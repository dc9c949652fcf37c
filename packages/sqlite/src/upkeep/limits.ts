import { rules } from "chainwright/adapter";
import { typeOf } from "../claim-names.ts";
import { breakerOf } from "../result-rows.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

export interface LimitUpkeep {
  /** Removes lanes in which no job waits and gates that are not in use. Each pass continues where the last one of this process ended. */
  tidy(limit: number, now: number): { readonly more: boolean };
  /** Puts jobs back that no live worker can take over: their places would never become free. */
  release(limit: number, now: number): void;
}

/** How long a lease has been out, or a job that keeps its places has waited for its retry, before the job is put back. */
const lostMs = 60_000;

export function createLimitUpkeep(store: Store): LimitUpkeep {
  const tidyLanes = createTidyLanes(store);
  const tidyGates = createTidyGates(store);
  const release = createRelease(store);
  return {
    tidy: (limit, now) => {
      const lanes = tidyLanes(limit);
      const gates = tidyGates(limit, now);
      return { more: lanes || gates };
    },
    release,
  };
}

/** A walk along the ids of a table. Returns a function that finds the next page and reports whether there may be more. */
function createWalkOf(store: Store, table: string, isFree: string) {
  const last = store.sql<{ last: number | null; count: number }>(
    `select max(id) as last, count(*) as count from (select id from ${table} where id > ? order by id limit ?)`,
  );
  const free = store.sql<{ id: number }>(`select id from ${table} where id > ? and id <= ? and ${isFree} order by id`);
  let position = 0;
  return (limit: number, ...parameters: readonly number[]) => {
    const { last: end = null, count = 0 } = last.get(position, limit) ?? {};
    const found = end === null ? [] : free.all(position, end, ...parameters);
    const more = count >= limit;
    position = more ? (end ?? 0) : 0;
    return { ids: JSON.stringify(found.map(({ id }) => id)), more };
  };
}

/** SQL for the jobs that hold places, or keep them, in lanes. A job that holds a place refers to its lane. */
const placedIn = (t: Tables, lane: string): string =>
  `select o.job from ${t.openJob} o indexed by ${t.openJob}_placed where o.placed is not null and o.lane in (${lane})`;

function createTidyLanes(store: Store): (limit: number) => boolean {
  const { tables: t, sql } = store;
  const isFree = `state = 0 and not exists (${placedIn(t, `${t.lane}.id`)})
    and not exists (select 1 from ${t.openJob} o where o.state = 3 and o.lane <> 0 and o.lane = -${t.lane}.id)`;
  const next = createWalkOf(store, t.lane, isFree);
  const dropGates = sql(`delete from ${t.laneGate} where lane in (select value from json_each(?))`);
  const drop = sql(`delete from ${t.lane} where id in (select value from json_each(?))`);
  return (limit) => {
    const { ids, more } = next(limit);
    if (ids !== "[]") {
      dropGates.run(ids);
      drop.run(ids);
    }
    return more;
  };
}

function createTidyGates(store: Store): (limit: number, now: number) => boolean {
  const { tables: t, sql } = store;
  // Beginnings that a window may still count keep their gate.
  const isFree = `taken = 0 and breaker is null and concurrency is null and rate_count is null and coalesce(paused_until, 0) <= ?
    and not exists (select 1 from ${t.laneGate} lg where lg.gate = ${t.gate}.id)
    and not exists (select 1 from ${t.beginning} b where b.gate = ${t.gate}.id
      and b.at > ? - coalesce((select r.rate_per_ms from ${t.limitRule} r where r.name = ${t.gate}.name), 0))`;
  const next = createWalkOf(store, t.gate, isFree);
  const dropParts = [t.beginning, t.closedName].map((table) =>
    sql(`delete from ${table} where gate in (select value from json_each(?))`),
  );
  const drop = sql(`delete from ${t.gate} where id in (select value from json_each(?))`);
  const breakers = sql<{ id: number; breaker: string }>(
    `select id, breaker from ${t.gate} where breaker is not null order by id limit ?`,
  );
  const closeBreaker = sql(`update ${t.gate} set breaker = null where id = ?`);
  return (limit, now) => {
    for (const { id, breaker } of breakers.all(limit)) {
      const state = breakerOf(breaker);
      if (state === undefined || rules.isBreakerPast(state, now)) closeBreaker.run(id);
    }
    const { ids, more } = next(limit, now, now);
    if (ids !== "[]") for (const statement of [...dropParts, drop]) statement.run(ids);
    return more;
  };
}

function createRelease({ tables: t, sql }: Store): LimitUpkeep["release"] {
  const nextName = (after: string) => `(select name from ${t.lane} where name > ${after} order by name limit 1)`;
  const names = sql<{ name: string }>(
    `with recursive present (name) as (select ${nextName("''")} union all select ${nextName("present.name")} from present where name is not null)
     select name from present where name is not null and not exists (
       select 1 from ${t.worker} w, json_each(w.type_names) e where w.alive_until > ? and e.value = ${typeOf("present.name")})`,
  );
  const lost = `${placedIn(t, `select l.id from ${t.lane} l where l.name = ?`)}
    and (o.state = 0 and o.leased_until <= ? or o.state = 4 and o.due_at <= ?) order by o.job limit ?`;
  // The places go back with the second write, see `limits/triggers.ts`.
  const keepNothing = sql(`update ${t.openJob} set placed = 1 where job in (${lost})`);
  const putBack = sql(
    `update ${t.openJob} set state = 1, due_at = ?, leased_by = null, leased_until = null, started_at = null
     where job in (${lost})`,
  );
  return (limit, now) => {
    const before = now - lostMs;
    for (const { name } of names.all(now)) {
      keepNothing.run(name, before, before, limit);
      putBack.run(now, name, before, before, limit);
    }
  };
}
