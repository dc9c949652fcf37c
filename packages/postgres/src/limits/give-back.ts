import type { Schema } from "../schema.ts";
import { innerFunction, rangeFunction } from "../sql-function.ts";
import { inboxLane } from "./tables.ts";

/*
 * A place belongs to a job and not to its worker, so a worker that dies gives none back: the job is taken over with its places. The
 * functions that delete a job's row, or make it wait, give them back. A trigger on the table would do the same for rows that others
 * delete, but costs each job without limits 19,900 to 21,900 instructions. Upkeep finds such places instead.
 */

/**
 * Gives back the places of jobs, and lets as many lanes open that wait for them. Its plan is a generic one: it was made anew in each call where
 * the settings of its caller left that to the planner, which took longer than the rest.
 */
export function giveBackFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return rangeFunction(schema, {
    name: "give_back_v1",
    parameters: "p_jobs uuid[]",
    returns: "void",
    declare: "",
    body: `  with freed as (
    update ${s}.place p set job_id = null where p.job_id = any(p_jobs) returning p.gate)
  ${givesBackTo(s, "freed")};`,
  });
}

/**
 * Lets as many lanes open as places of their gates are in this table. A scalar subquery with the order of the index of closed lanes, so
 * that the planner does not read all closed lanes if its statistics say that there are few.
 */
export const givesBackTo = (s: string, freed: string) => `insert into ${s}.gate_event (gate, lanes)
  select f.gate, count(*) from ${freed} f
  where (
    select true from ${s}.lane l where l.state > 1 and l.blocked_by = f.gate and l.state = 2
    order by l.type_name, l.rank, l.turn limit 1)
  group by f.gate`;

/** A job leaves its lane, or gives back its places if it has begun. Needs what its row had before. */
export function leaveLaneFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return innerFunction(schema, {
    name: "leave_lane_v1",
    parameters:
      "p_job uuid, p_state smallint, p_holds boolean, p_lane uuid, p_type text, p_rank smallint, p_position bigint",
    returns: "void",
    declare: "",
    body: `  if p_state = 3 then
    delete from ${s}.parked p
    where p.lane = any(array[p_lane, ${inboxLane}]) and p.type_name = p_type and p.rank = p_rank and p.position = p_position;
    delete from ${s}.kept k where k.job_id = p_job;
  end if;
  if p_state = 0 or p_holds then
    perform ${s}.give_back_v1(array[p_job]);
  end if;`,
  });
}

/** An expression for `returning` of a statement that deletes a row `o` of `open_job`: its places are free with the commit. */
export const leavesLane = (s: string) =>
  `case when o.lane is not null then ${s}.leave_lane_v1(o.job_id, o.state, o.lane_holds, o.lane, o.type_name, o.rank, o.position) end`;

/** The same where a leased job is deleted. */
export const givesBack = (s: string) => `case when o.lane is not null then ${s}.give_back_v1(array[o.job_id]) end`;

/** The same where the job waits for its next attempt. */
export const givesBackUnlessHeld = (s: string) =>
  `case when o.lane is not null and o.lane_holds is not true then ${s}.give_back_v1(array[o.job_id]) end`;
