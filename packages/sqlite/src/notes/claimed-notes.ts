import type { ClaimedJob, Memo } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { checkpointName } from "./rows.ts";

/** Reads what a claimed job has noted, if its row says that there is something. */
export function createClaimedNotes({
  tables: t,
  sql,
}: Store): (job: number, noted: number | null) => Pick<ClaimedJob, "memos" | "checkpoint"> | undefined {
  const read = sql<Memo>(`select name, value from ${t.memo} where job = ?`);
  return (job, noted) => {
    if (noted !== 1) return undefined;
    const all = read.all(job);
    const memos = all.filter(({ name }) => name !== checkpointName).map(({ name, value }) => ({ name, value }));
    return {
      memos: memos.length === 0 ? undefined : memos,
      checkpoint: all.find(({ name }) => name === checkpointName)?.value,
    };
  };
}
