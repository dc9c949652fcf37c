import { arrayOf } from "../array-parameter.ts";
import type { CallOptions, LostReason, Memo, NoteItem, NoteReply, Outcome, StoredMemo } from "chainwright/adapter";
import { inPlace, resultOf } from "../result-rows.ts";
import { call, type FunctionCall, type Store } from "../store.ts";

/** Writes what attempts note about their jobs, in one call for all of them. */
export async function note<Tx>(
  store: Store<Tx>,
  items: readonly NoteItem[],
  options: CallOptions<Tx>,
): Promise<readonly NoteReply[]> {
  if (items.length === 0) return [];
  const jobs = jobIdsOf(items);
  const noting = items.filter(({ memos, checkpoint }) => memos !== undefined || checkpoint !== undefined);
  const remembering = noting.length === items.length ? jobs : jobIdsOf(noting);
  const parameters = [JSON.stringify(items.map(recordOf)), arrayOf(jobs), arrayOf(remembering), null];
  const rows = (await call(store, { name: "note_v1", parameters }, options)).map(resultOf);
  const stored = new Map<number, readonly (string | null)[]>();
  const replies: NoteReply[] = [];
  for (const row of rows) {
    if (row.kind === "lost") replies[row.n] = { status: "lost", reason: row.reason as LostReason };
    else if (row.kind === "busy") replies[row.n] = { status: "busy" };
    else if (row.kind === "noted") {
      replies[row.n] = { status: "noted" };
      if (row.memos !== undefined) stored.set(row.n, memosOf(row.memos));
    }
  }
  addMemos(replies, items, { stored, areAlone: jobs.length === items.length && items.every(hasOneMemo) });
  return inPlace(replies, items.length, "note");
}

/** The call that writes the reports of outcomes, before those that settle them. */
export function reportCalls(outcomes: readonly Outcome[]): readonly FunctionCall[] {
  const items = outcomes.flatMap(({ target, reports }) =>
    reports !== undefined && "jobId" in target ? [{ target, ...reports }] : [],
  );
  if (items.length === 0) return [];
  return [{ name: "report_v1", parameters: [JSON.stringify(items.map(recordOf)), arrayOf(jobIdsOf(items))] }];
}

function hasOneMemo({ memos }: NoteItem): boolean {
  return memos === undefined || memos.length <= 1;
}

/** What a call replies that has written one memo of a job, as most do. */
const oneWritten = "[null]";
const nothingOnRecord = [null] as const;

function memosOf(text: string): readonly (string | null)[] {
  return text === oneWritten ? nothingOnRecord : (JSON.parse(text) as (string | null)[]);
}

interface FoundMemos {
  /** By item: the memos on record, or null for those that this call has written. */
  readonly stored: ReadonlyMap<number, readonly (string | null)[]>;
  /** Whether each item is about a job of its own, and has one memo at most: then no memo of the call has the name of another. */
  readonly areAlone: boolean;
}

function addMemos(replies: NoteReply[], items: readonly NoteItem[], { stored, areAlone }: FoundMemos): void {
  const written = new Map<string, string>();
  const memoOf = (jobId: string, { name, value }: Memo, found: string | null): StoredMemo => {
    if (found !== null) return { value: found, isNew: false };
    if (areAlone) return { value, isNew: true };
    // Of several items of this call the first one has written it.
    const key = `${jobId} ${name}`;
    const first = written.get(key);
    written.set(key, first ?? value);
    return { value: first ?? value, isNew: first === undefined };
  };
  for (const [n, { target, memos }] of items.entries()) {
    const found = stored.get(n);
    if (found === undefined || memos === undefined) continue;
    replies[n] = { status: "noted", memos: memos.map((memo, at) => memoOf(target.jobId, memo, found[at] ?? null)) };
  }
}

function recordOf(
  { target: { jobId, workerId, fence }, attempt, memos, checkpoint, progress, lines }: NoteItem,
  n: number,
): object {
  const written = lines?.map(({ message, ...line }) => ({ ...line, message: JSON.stringify(message) }));
  return { n, id: jobId, worker: workerId, fence, attempt, progress, memos, checkpoint, lines: written };
}

function jobIdsOf(items: readonly Pick<NoteItem, "target">[]): readonly string[] {
  return [...new Set(items.map(({ target }) => target.jobId))];
}
