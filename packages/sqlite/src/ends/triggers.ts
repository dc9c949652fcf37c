import { ending } from "../rows/extras.ts";
import type { Tables } from "../schema.ts";
import { createAtFirstUse } from "../first-use.ts";
import type { Store } from "../store.ts";

const endTriggersOf = (t: Tables) => [
  // A process of the release before ends chains and knows nothing of what has to follow: upkeep finds them by the mark, see
  // `late-ends.ts`. A process of this release does what follows in the same transaction, and removes the mark.
  `create trigger ${t.job}_chain_over after update of chain_status on ${t.job}
   when new.extras & ${ending} and old.chain_status is not new.chain_status
   begin
     update ${t.ending} set stopped = iif(new.chain_status = 'active', null, 1) where chain = new.seq;
     delete from ${t.deadline} where chain = new.seq;
   end`,
  // Nor does it know that a chain cannot be retried whose follow-ups have begun.
  `create trigger ${t.job}_chain_retried before update of chain_status on ${t.job}
   when old.extras & ${ending} and old.chain_status in ('failed', 'cancelled') and new.chain_status = 'active'
     and exists (select 1 from ${t.followUp} f where f.chain = old.seq)
     and not exists (select 1 from ${t.ending} e where e.chain = old.seq and e.stopped = 0)
   begin
     select raise(abort, 'chains that follow this one were started when it stopped: retry it with a process of the newer release');
   end`,
  // What follows begins after the attempt that may still run, and its lease is gone with this row.
  `create trigger ${t.openJob}_last_attempt after delete on ${t.openJob} when old.leased_until is not null
   begin
     update ${t.ending} set last_job = old.job, last_by = old.leased_by, last_fence = old.fence, last_until = old.leased_until
       where chain = old.chain;
   end`,
  // The number of a deleted chain may be given again.
  `create trigger ${t.job}_ends after delete on ${t.job} when old.extras & ${ending}
   begin
     delete from ${t.ending} where chain = old.seq;
     delete from ${t.compensation} where chain = old.seq;
     delete from ${t.followUp} where chain = old.seq;
     delete from ${t.deadline} where chain = old.seq;
   end`,
];

/**
 * Creates the triggers of ends, with the first chain that has a compensation, a `whenStopped` or a deadline: stores without them pay
 * nothing.
 */
export function createEndTriggers(store: Store): () => void {
  return createAtFirstUse(store, "ends", endTriggersOf(store.tables));
}
