import {
  mostLogLines,
  type LogLine,
  type LogLineRecord,
  type Memo,
  type Noted,
  type NotesRecord,
} from "../model/note.ts";
import type { NotesQuery } from "../ports/note.ts";
import type { NotedBy, NoteRows } from "../rules/note-rows.ts";
import { nothing } from "../rules/replies.ts";
import type { JobNotes, Notes } from "./note-store.ts";
import type { JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

const noLines: readonly LogLineRecord[] = [];

export function createNoteRows(store: Store): NoteRows<JobRow> {
  return {
    addMemo: (job, memo, by) => addMemo(store, job, { memo, by }),
    setCheckpoint: (job, value, by) => setNotes(store, job, { checkpoint: { value, ...by } }),
    setProgress: (job, value, by) => setNotes(store, job, { progress: { value, ...by } }),
    addLines: (job, lines, by) => addLines(store, job, { lines, by }),
  };
}

/** What a claim returns. */
export function notesForClaim(
  { notes }: Store,
  row: JobRow,
): { readonly memos: readonly Memo[] | undefined; readonly checkpoint: string | undefined } {
  const found = notes.byJob.size === 0 ? undefined : notes.byJob.get(row);
  if (found === undefined) return nothingNoted;
  const memos = Array.from(found.memos, ([name, { value }]) => ({ name, value }));
  return { memos: memos.length === 0 ? undefined : memos, checkpoint: found.checkpoint?.value };
}

const nothingNoted = { memos: undefined, checkpoint: undefined };

export function noteCompleted({ notes }: Store, row: JobRow): void {
  if (notes.byJob.size > 0 && notes.byJob.has(row)) notes.completed.add(row);
}

/** Forgets the memos and checkpoints of up to `limit` completed jobs; returns whether there may be more. */
export function forgetNotes(store: Store, limit: number): boolean {
  const { completed, byJob } = store.notes;
  let left = limit;
  for (const row of completed) {
    if (left === 0) return true;
    left -= 1;
    completed.delete(row);
    const found = byJob.get(row);
    // The call that completed it may have been undone.
    if (found === undefined || row.status !== "completed") continue;
    put(store, row, { ...found, memos: new Map(), checkpoint: undefined });
  }
  return false;
}

/** Forgets what was noted about a job that is deleted. */
export function removeNotes(store: Store, row: JobRow): void {
  if (store.notes.byJob.size > 0) put(store, row, undefined);
}

export function listNotes(
  { jobs, notes }: Store,
  { items, lines: limit, order, memos }: NotesQuery,
): readonly (NotesRecord | undefined)[] {
  return items.map(({ jobId, after }) => {
    const row = jobs.get(jobId);
    if (row === undefined) return undefined;
    const { checkpoint, progress, memos: found = [], lines = noLines } = notes.byJob.get(row) ?? {};
    const all = memos === "all" ? Array.from(found, ([name, noted]) => ({ name, ...noted })) : nothing;
    return { jobId, checkpoint, progress, memos: all, lines: pageOf(lines, { after, limit, order }) };
  });
}

interface LinePage extends Pick<NotesQuery, "order"> {
  readonly after: number | undefined;
  readonly limit: number;
}

function pageOf(lines: readonly LogLineRecord[], { after, limit, order }: LinePage): readonly LogLineRecord[] {
  if (limit === 0) return noLines;
  const ordered = order === "ascending" ? lines : lines.toReversed();
  const from =
    after === undefined ? 0 : ordered.findIndex(({ seq }) => (order === "ascending" ? seq > after : seq < after));
  return from === -1 ? noLines : ordered.slice(from, from + limit);
}

function addMemo(
  store: Store,
  row: JobRow,
  { memo: { name, value }, by }: { readonly memo: Memo; readonly by: NotedBy },
): string | undefined {
  const { memos } = store.notes.byJob.get(row) ?? setNotes(store, row, {});
  const found = memos.get(name);
  if (found !== undefined) return found.value;
  memos.set(name, { value, ...by });
  store.changes?.others.push(["memo", row.id, name]);
  store.journal?.push(() => void memos.delete(name));
  return undefined;
}

function addLines(
  store: Store,
  row: JobRow,
  { lines, by: { attempt } }: { readonly lines: readonly LogLine[]; readonly by: NotedBy },
): void {
  const before = store.notes.byJob.get(row)?.lines ?? noLines;
  const known = new Set(before.map(({ seq }) => seq));
  const added = lines.filter(({ seq }) => !known.has(seq)).map((line) => ({ ...line, attempt }));
  if (added.length === 0) return;
  const all = [...before, ...added].sort((left, right) => left.seq - right.seq);
  setNotes(store, row, { lines: all.slice(-mostLogLines) });
}

function setNotes(store: Store, row: JobRow, change: Partial<JobNotes>): JobNotes {
  const before = store.notes.byJob.get(row);
  const { memos = new Map<string, Noted>(), checkpoint, progress, lines = noLines } = before ?? {};
  const notes: JobNotes = { memos, checkpoint, progress, lines, ...change };
  put(store, row, notes);
  return notes;
}

function put(store: Store, row: JobRow, notes: JobNotes | undefined): void {
  const { byJob } = store.notes;
  const before = byJob.get(row);
  if (before === notes) return;
  set(byJob, row, notes);
  if (store.changes !== undefined) noteNotes(store, row, { before, notes });
  store.journal?.push(() => set(byJob, row, before));
}

interface NotesChange {
  readonly before: JobNotes | undefined;
  readonly notes: JobNotes | undefined;
}

/** Memos and lines are rows of their own for a log. */
function noteNotes(store: Store, { id }: JobRow, { before, notes }: NotesChange): void {
  store.changes?.others.push(["note", id]);
  if (before !== undefined && before.memos !== notes?.memos)
    for (const name of before.memos.keys()) store.changes?.others.push(["memo", id, name]);
  if (before?.lines === notes?.lines) return;
  const [old, kept] = [new Set(before?.lines), new Set(notes?.lines)];
  for (const line of old) if (!kept.has(line)) store.changes?.others.push(["line", id, line.seq]);
  for (const line of kept) if (!old.has(line)) store.changes?.others.push(["line", id, line.seq]);
}

function set(byJob: Notes["byJob"], row: JobRow, notes: JobNotes | undefined): void {
  if (notes === undefined) byJob.delete(row);
  else byJob.set(row, notes);
}
