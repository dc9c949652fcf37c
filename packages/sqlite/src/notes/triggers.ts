import { createAtFirstUse } from "../first-use.ts";
import type { Tables } from "../schema.ts";
import type { Store } from "../store.ts";

/** Triggers, because a process of the release before ends and deletes jobs and knows nothing of notes. */
const noteTriggersOf = (t: Tables) => [
  // Only further attempts would need them. Upkeep forgets them, so that the end of a job costs no more the more it has noted.
  `create trigger ${t.job}_notes_spent after update of status on ${t.job} when old.noted = 1 and new.status = 'completed'
   begin
     insert into ${t.spentNote} (job) values (new.seq) on conflict (job) do nothing;
   end`,
  // The number of a deleted job may be given again.
  `create trigger ${t.job}_notes after delete on ${t.job} when old.noted is not null
   begin
     delete from ${t.memo} where job = old.seq;
     delete from ${t.progress} where job = old.seq;
     delete from ${t.logLine} where job = old.seq;
     delete from ${t.spentNote} where job = old.seq;
   end`,
];

/** Creates the triggers of notes, with the first note: stores without notes pay nothing for them. */
export function createNoteTriggers(store: Store): () => void {
  return createAtFirstUse(store, "notes", noteTriggersOf(store.tables));
}
