import { createAtFirstUse } from "../first-use.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../schema.ts";

/** SQL for the turn behind all open lanes of a claim name and a rank. */
const nextTurn = (t: Tables, name: string, rank: string): string =>
  `coalesce((select last.turn from ${t.lane} last where last.state = 1 and last.name = ${name} and last.rank = ${rank}
     order by last.turn desc limit 1), 0) + 1`;

/** SQL that opens the first lane that is closed for each of these gates and claim names. */
export const openClosed = (t: Tables, closed: string): string =>
  `update ${t.lane} set state = 1, blocked_by = null where id in (
     select (select l.id from ${t.lane} l where l.state = 2 and l.blocked_by = c.gate and l.name = c.name
       order by l.rank desc, l.turn limit 1)
     from ${closed})`;

/**
 * `or rollback` because a count that cannot be written is a broken store: without it SQLite keeps a journal of each statement that
 * fires the trigger, and a job that ends costs 5.8 us instead of 3.1.
 */
const giveBack = (t: Tables) =>
  `update or rollback ${t.gate} set taken = taken - 1 from ${t.laneGate} g where g.lane = old.lane and ${t.gate}.id = g.gate;`;

/** Jobs under limits that become ready go into their lane, also when a process of the release before makes them ready. */
const park = (t: Tables) => [
  `create trigger ${t.openJob}_park after update of state on ${t.openJob}
   when (new.state = 3 and new.lane = 0 or new.state = 0 and new.lane is not null) and new.leased_by is null and new.placed is not 2
   begin
     insert into ${t.lane} (name, limits, state, rank, turn, served, weight)
       select new.type_name, j.limits, 1, new.priority, ${nextTurn(t, "new.type_name", "new.priority")}, 0, coalesce(j.weight, 1)
       from ${t.job} j where j.seq = new.job
       on conflict (name, limits) do update set
         turn = case state when 0 then excluded.turn else turn end,
         served = case state when 0 then 0 else served end,
         rank = case state when 0 then excluded.rank else max(rank, excluded.rank) end,
         state = case state when 0 then 1 else state end,
         weight = excluded.weight
       where state = 0 or rank < excluded.rank or weight <> excluded.weight;
     update ${t.openJob} set state = 3, lane = (select l.id from ${t.lane} l join ${t.job} j on j.seq = new.job
         where l.name = new.type_name and l.limits = j.limits)
       where job = new.job and (state = 0 or lane = 0);
   end`,
  // One that has kept its places needs no others, but it waits for rates and pauses. It opens its lane, which it may have closed.
  `create trigger ${t.openJob}_park_kept after update of state on ${t.openJob}
   when new.placed = 2 and new.state in (0, 3) and new.leased_by is null
   begin
     update ${t.openJob} set state = 4 where job = new.job;
     update ${t.lane} set state = 1, blocked_by = null, served = 0,
         rank = case state when 0 then new.priority else max(rank, new.priority) end,
         turn = case state when 0 then ${nextTurn(t, "new.type_name", "new.priority")} else turn end
       where id = new.lane;
   end`,
  // The release before makes jobs ready that were blocked or had ended, and knows nothing of their limits.
  `create trigger ${t.openJob}_enter after insert on ${t.openJob}
   when new.lane is null and exists (select 1 from ${t.job} j where j.seq = new.job and j.limits is not null)
   begin
     update ${t.openJob} set lane = 0, state = 1 where job = new.job;
   end`,
];

/** Jobs that have come while no job waited in their lane are in it from the moment in which one does, in their order. */
const gather = (t: Tables) => {
  const waiting = `from ${t.openJob} o where o.state = 3 and o.lane <> 0 and o.lane = new.id order by o.priority desc limit 1`;
  return `create trigger ${t.lane}_gather after update of state on ${t.lane}
   when old.state = 0 and new.state <> 0
   begin
     update ${t.openJob} set lane = new.id where state = 3 and lane <> 0 and lane = -new.id;
     update ${t.lane} set rank = (select o.priority ${waiting})
       where id = new.id and rank < (select o.priority ${waiting});
   end`;
};

/** A place goes back with the write by which its job leaves the worker, of a worker or of another call. */
const leave = (t: Tables) => [
  `create trigger ${t.openJob}_put_back after update of state on ${t.openJob}
   when old.placed = 1 and new.leased_by is null
   begin
     update ${t.openJob} set placed = null, lane = case state when 1 then 0 else lane end where job = new.job;
     ${giveBack(t)}
   end`,
  `create trigger ${t.openJob}_leave after delete on ${t.openJob} when old.placed is not null
   begin
     ${giveBack(t)}
   end`,
  // Most gates have closed no lane.
  `create trigger ${t.gate}_open after update of taken on ${t.gate}
   when new.taken < old.taken and exists (select 1 from ${t.closedName} c where c.gate = new.id)
   begin
     ${openClosed(t, `${t.closedName} c where c.gate = new.id`)};
   end`,
  `create trigger ${t.lane}_gates after insert on ${t.lane}
   begin
     insert into ${t.gate} (name, key) select value ->> 0, value ->> 1 from json_each(new.limits) where true
       on conflict (name, key) do nothing;
     insert into ${t.laneGate} (lane, gate)
       select new.id, g.id from json_each(new.limits) e join ${t.gate} g on g.name = e.value ->> 0 and g.key = e.value ->> 1;
   end`,
];

/**
 * Creates the triggers of limits, with the first limit that is declared or the first job under one: stores without limits pay
 * nothing for them.
 */
export function createLimitTriggers(store: Store): () => void {
  return createAtFirstUse(store, "limits", [...park(store.tables), gather(store.tables), ...leave(store.tables)]);
}
