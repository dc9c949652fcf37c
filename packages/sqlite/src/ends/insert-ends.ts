import type { FollowUp } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createMark } from "./mark.ts";

/** Notes what follows a new chain if it stops, and when it is cancelled. */
export function createInsertEnds(
  store: Store,
): (chain: number, whenStopped: FollowUp | undefined, deadlineAt: number | undefined) => void {
  const { tables: t, sql } = store;
  const mark = createMark(store);
  const setWhenStopped = sql(`update ${t.ending} set when_stopped = ? where chain = ?`);
  const setDeadline = sql(`insert into ${t.deadline} (chain, at) values (?, ?)`);
  return (chain, whenStopped, deadlineAt) => {
    mark(chain);
    if (whenStopped !== undefined) setWhenStopped.run(JSON.stringify(whenStopped), chain);
    if (deadlineAt !== undefined) setDeadline.run(chain, deadlineAt);
  };
}
