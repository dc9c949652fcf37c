/** The tables of what happens when chains stop, and those to which it adds columns. */
export interface EndTables {
  readonly job: string;
  readonly blocker: string;
  readonly ending: string;
  readonly compensation: string;
  readonly followUp: string;
  readonly deadline: string;
}

/**
 * The tables of compensations, of what follows a stopped chain, and of deadlines. A chain that uses none of it has no row in them.
 */
export function endTables(t: EndTables): readonly string[] {
  return [
    // 1: the chain was started inline with the job.
    `alter table ${t.blocker} add column own integer`,
    `create table ${t.ending} (
  chain integer primary key,
  when_stopped text, -- as JSON
  held_job text, -- the attempt that was running when the chain stopped
  held_by text,
  held_fence integer,
  held_until integer,
  stopped integer, -- 1: the chain has ended, and nothing has followed yet; 0: a retry is under way that withdraws what follows
  last_job integer, -- the last attempt that lost its row in the hot table, for such an end
  last_by text,
  last_fence integer,
  last_until integer
) strict`,
    `create index ${t.ending}_stopped on ${t.ending} (stopped) where stopped = 1`,
    // What undoes the steps of a chain, as JSON, in the order in which they were done. Within a step what passed to it from its
    // blockers is before what the step itself recorded, which has 1 in `own`.
    `create table ${t.compensation} (
  chain integer not null,
  step integer not null,
  own integer not null,
  position integer not null,
  compensation text not null,
  primary key (chain, step, own, position)
) strict, without rowid`,
    // The chains that were started because a chain stopped. By id: such a chain may be deleted before the stopped one.
    `create table ${t.followUp} (
  chain integer not null,
  position integer not null,
  chain_id text not null,
  kind text not null,
  primary key (chain, position)
) strict, without rowid`,
    `create index ${t.followUp}_chain on ${t.followUp} (chain_id)`,
    `create table ${t.deadline} (
  chain integer primary key,
  at integer not null
) strict`,
    `create index ${t.deadline}_at on ${t.deadline} (at)`,
  ];
}
