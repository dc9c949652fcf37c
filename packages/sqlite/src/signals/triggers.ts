import type { Tables } from "../schema.ts";
import { createAtFirstUse } from "../first-use.ts";
import type { Store } from "../store.ts";

const signalTriggersOf = (t: Tables) => [
  // A wait is over with the write that makes the job ready: a signal, or the promotion at the end of its time, also by a process of
  // the release before, which does not know waits. One under limits enters its lane, which is state 3. Most writes have ended the wait
  // themselves: their rows are not written again.
  `create trigger ${t.openJob}_wait_over after update of state on ${t.openJob}
   when old.waits is not null and new.state in (0, 3)
   begin
     update ${t.openJob} set waits = null where job = new.job and waits is not null;
     delete from ${t.topic} where job = new.job;
   end`,
  // It has ended, or its chain is deleted.
  `create trigger ${t.openJob}_wait_gone after delete on ${t.openJob} when old.waits is not null
   begin
     delete from ${t.topic} where job = old.job;
   end`,
  // The number of a deleted chain may be given again.
  `create trigger ${t.job}_signals after delete on ${t.job} when old.chain is null
   begin
     delete from ${t.signal} where chain = old.seq;
   end`,
];

/**
 * Creates the triggers of signals, with the first job that waits or the first signal: stores without signals pay nothing for them.
 */
export function createSignalTriggers(store: Store): () => void {
  return createAtFirstUse(store, "signals", signalTriggersOf(store.tables));
}
