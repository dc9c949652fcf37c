import { mostLogLines } from "chainwright/adapter";
import type { ClaimedJob, NoteRows, NotesQuery, NotesRecord } from "chainwright/adapter";
import type { Data, Job, JobNotes } from "./data.ts";

const noNotes: JobNotes = { checkpoint: undefined, progress: undefined, memos: [], lines: [] };

/** What the rules of notes write. */
export function createNotes(): NoteRows<Job> {
  const change = (job: Job, changes: Partial<JobNotes>): void => {
    job.notes = { ...noNotes, ...job.notes, ...changes };
  };
  return {
    addMemo(job, memo, by) {
      const { memos } = job.notes ?? noNotes;
      const found = memos.find(({ name }) => name === memo.name);
      if (found === undefined) change(job, { memos: [...memos, { ...memo, ...by }] });
      return found?.value;
    },
    setCheckpoint: (job, value, by) => change(job, { checkpoint: { value, ...by } }),
    setProgress: (job, value, by) => change(job, { progress: { value, ...by } }),
    addLines(job, lines, { attempt }) {
      const before = job.notes?.lines ?? [];
      const added = lines.filter(({ seq }) => before.every((line) => line.seq !== seq));
      const all = [...before, ...added.map((line) => ({ ...line, attempt }))];
      change(job, { lines: all.toSorted((left, right) => left.seq - right.seq).slice(-mostLogLines) });
    },
  };
}

/** What a claim returns of them. */
export function claimedNotes({ notes }: Job): Pick<ClaimedJob, "memos" | "checkpoint"> {
  const memos = notes?.memos.map(({ name, value }) => ({ name, value })) ?? [];
  return { memos: memos.length === 0 ? undefined : memos, checkpoint: notes?.checkpoint?.value };
}

/** Forgets what only further attempts of completed jobs would need. */
export function forgetNotes(data: Data): void {
  for (const job of data.jobs.values())
    if (job.status === "completed" && job.notes !== undefined)
      job.notes = { ...job.notes, checkpoint: undefined, memos: [] };
}

export function listNotes(data: Data, { items, lines: limit, order, memos }: NotesQuery): (NotesRecord | undefined)[] {
  return items.map(({ jobId, after }) => {
    const job = data.jobs.get(jobId);
    if (job === undefined) return undefined;
    const { lines, ...notes } = job.notes ?? noNotes;
    const ordered = order === "ascending" ? lines : lines.toReversed();
    const behind = ordered.filter(
      ({ seq }) => after === undefined || (order === "ascending" ? seq > after : seq < after),
    );
    return { jobId, ...notes, memos: memos === "all" ? notes.memos : [], lines: behind.slice(0, limit) };
  });
}
