import type { Taken } from "../operations/read-claimed.ts";
import type { Store } from "../store.ts";
import { openClosed } from "./triggers.ts";
import type { OpenLane } from "./turns.ts";

/** A job in a lane, as it is before it is leased. */
export interface WaitingJob extends Taken {
  readonly priority: number;
}

/** How many gates a claim opens again because of the time. */
const looks = 100;

/** SQL for the table `present` of all names that a walk along an index finds. @param next SQL for the first name after another one */
export function namesFrom(next: (after: string) => string): string {
  return `with recursive present (name) as (
      select ${next("''")} union all select ${next("present.name")} from present where name is not null)`;
}

export function laneStatementsOf({ tables: t, sql }: Store) {
  const nextName = (after: string) =>
    `(select name from ${t.lane} where state = 1 and name > ${after} order by name limit 1)`;
  const nextLook = (after: string) =>
    `(select name from ${t.closedName} where look_at is not null and name > ${after} order by name limit 1)`;
  const waiting = (lane: string) =>
    `select job, due_at, attempt, fence, priority from ${t.openJob} where ${lane} limit ?`;
  const ofGates = `${t.closedName}.name = ? and gate in (select value from json_each(?))`;
  return {
    /** The claim names of open lanes: one probe each. */
    openNames: sql<{ name: string }>(`${namesFrom(nextName)} select name from present where name is not null`),
    open: sql<OpenLane>(
      `select id, name, limits, rank, turn, served, weight from ${t.lane} where state = 1 and name = ? order by rank desc, turn limit ?`,
    ),
    lastTurn: sql<{ turn: number }>(
      `select turn from ${t.lane} where state = 1 and name = ? and rank = ? order by turn desc limit 1`,
    ),
    /** Jobs that have kept their places. */
    kept: sql<WaitingJob>(waiting("placed is not null and lane = ? and state = 4 order by job")),
    others: sql<WaitingJob>(waiting("state = 3 and lane <> 0 and lane = ? order by priority desc, job")),
    lease: sql(
      `update ${t.openJob} set state = 0, lane = abs(lane), placed = ?, leased_by = ?, leased_until = ?, started_at = ?, attempt = attempt + 1,
         fence = fence + 1
       where job in (select value from json_each(?))`,
    ),
    gateNames: sql<{ name: string }>(
      `select name from ${t.gate} where id in (select value from json_each(?)) order by name`,
    ),
    setIdle: sql(`update ${t.lane} set state = 0, served = 0 where id in (select value from json_each(?))`),
    setLane: sql(`update ${t.lane} set state = ?, rank = ?, turn = ?, served = ?, blocked_by = ? where id = ?`),
    noteClosed: sql(
      `insert into ${t.closedName} (gate, name, look_at) values (?, ?, ?)
       on conflict (gate, name) do update set look_at = excluded.look_at where look_at is not excluded.look_at`,
    ),
    openNext: sql(openClosed(t, `${t.closedName} c where c.gate = ?`)),
    dropClosed: sql(`delete from ${t.closedName} where gate = ?`),
    /** For each claim name the first moment at which a gate has to be looked at. */
    firstLooks: sql<{ name: string; look_at: number }>(
      `${namesFrom(nextLook)} select name, (select min(look_at) from ${t.closedName} c
         where c.name = present.name and c.look_at is not null) as look_at
       from present where name is not null`,
    ),
    /** As JSON, the first gates that have to be looked at for a claim name. */
    due: sql<{ gates: string }>(
      `select json_group_array(gate) as gates from (
         select gate from ${t.closedName} where name = ? and look_at <= ? order by look_at limit ${looks})`,
    ),
    openGates: sql(openClosed(t, "(select ? as name, value as gate from json_each(?)) c")),
    dropOpen: sql(
      `delete from ${t.closedName} where ${ofGates} and not exists (
         select 1 from ${t.lane} l where l.state = 2 and l.blocked_by = gate and l.name = ${t.closedName}.name)`,
    ),
    postpone: sql(`update ${t.closedName} set look_at = ? where ${ofGates}`),
  };
}
