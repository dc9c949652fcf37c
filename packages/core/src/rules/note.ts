import type { NoteItem, NoteReply } from "../ports/note.ts";
import { report } from "./report.ts";
import { lostReason } from "./settle.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * What a running attempt notes about its job.
 *
 * An attempt may note something while its lease is in force, and not after: another worker may be about to claim the job, and must see
 * what it finds.
 */

/** Each item by itself. With one writer at a time no later claim can have noted something, so nothing of it is replaced. */
export function note<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly NoteItem[],
  now: number,
): readonly NoteReply[] {
  return items.map((item) => noteOne(rows, item, now));
}

function noteOne<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { target, memos, checkpoint, ...reports }: NoteItem,
  now: number,
): NoteReply {
  const job = rows.leasedJob(target);
  if (job === undefined || rows.jobStatusOf(job, now) !== "running")
    return { status: "lost", reason: lostReason(rows, target.jobId, now) };
  const by = { attempt: reports.attempt, at: now };
  const stored = memos?.map((memo) => {
    const found = rows.notes.addMemo(job, memo, by);
    return { value: found ?? memo.value, isNew: found === undefined };
  });
  if (checkpoint !== undefined) rows.notes.setCheckpoint(job, checkpoint, by);
  report(rows, job, { reports, now });
  return stored === undefined ? { status: "noted" } : { status: "noted", memos: stored };
}
