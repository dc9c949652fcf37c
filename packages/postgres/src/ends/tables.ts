import { literal } from "../schema.ts";

/*
 * What happens when a chain ends: compensations of its steps, the chain that follows it if it stops, and its deadline.
 *
 * Chains without any of it have no row in these tables, and null in `on_end`: a function that ends a chain reads that column from the
 * row of the open job, which it deletes anyway.
 */

/** The position of what a step has recorded itself: after all that has passed to it from its blockers. */
export const ownPosition = "9223372036854775807";

/** The step of the row about the chain that follows, which is started last. */
export const lastStep = "0";

/** The reason of a chain that its deadline has cancelled. */
export const deadlineReason = literal("deadline");

/** The tables and columns, in the schema of this quoted name. */
export function endTables(s: string): readonly string[] {
  return [...markRows(s), ...createCompensation(s), ...createDeadline(s)];
}

/**
 * - open_job.on_end: the chain may have rows in the tables below. A continuation inherits it.
 * - job.on_end, on a chain's first job only: the same of a chain that has ended, or that has a deadline
 * - job.follows, on a chain's first job only: the stopped chain for whose stop the chain was started
 * - blocker.own: the chain was started inline, as a blocker of the job
 * - blocker.passes: the chain has completed, and its compensations are still to pass to the chain of the job
 */
function markRows(s: string): string[] {
  return [
    `alter table ${s}.job
  add column on_end boolean,
  add column follows uuid`,
    `alter table ${s}.open_job add column on_end boolean`,
    `alter table ${s}.blocker
  add column own boolean,
  add column passes boolean`,
  ];
}

/**
 * What is started if the chain stops, the highest step and position first. Step 0 is the chain that follows the stopped one.
 *
 * - body: JSON, see `storedCompensation`
 * - follower: the chain that was started for it
 */
function createCompensation(s: string): string[] {
  return [
    `create table ${s}.compensation (
  chain_id uuid not null,
  position bigint not null,
  follower uuid,
  step integer not null,
  body text not null,
  constraint compensation_pkey primary key (chain_id, step, position)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
  ];
}

/** When active chains are cancelled. */
function createDeadline(s: string): string[] {
  return [
    `create table ${s}.deadline (
  chain_id uuid not null,
  at double precision not null,
  constraint deadline_pkey primary key (chain_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    `create index deadline_at on ${s}.deadline (at)`,
  ];
}
