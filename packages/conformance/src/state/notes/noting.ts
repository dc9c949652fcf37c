import type { JobStart, LogLine, NoteItem, NoteReply, NotesQuery, NotesRecord } from "chainwright/adapter";
import { only, present } from "../../check.ts";
import { job } from "../build.ts";
import type { ClaimDetails, Held, StateFixture } from "../fixture.ts";

/** Starts a job of "a" and claims it. */
export async function running(
  fixture: StateFixture,
  details: ClaimDetails = {},
  start: Partial<JobStart> = {},
): Promise<Held> {
  await fixture.startOne(job("a", start));
  return await fixture.claimOne("a", details);
}

export type Content = Omit<NoteItem, "target" | "attempt">;

/** What an attempt notes. */
export function noting({ fence, attempt }: Held, content: Content): NoteItem {
  return { target: fence, attempt, ...content };
}

export async function noteAll(
  { store, options }: StateFixture,
  items: readonly NoteItem[],
  tx?: unknown,
): Promise<readonly NoteReply[]> {
  return await store.note(items, options(tx));
}

export async function note(fixture: StateFixture, held: Held, content: Content, tx?: unknown): Promise<NoteReply> {
  return only("one reply an item", await noteAll(fixture, [noting(held, content)], tx));
}

/** Notes one memo and returns the value on record, and whether it is this one. */
export async function remember(
  fixture: StateFixture,
  held: Held,
  name: string,
  value: string,
): Promise<readonly [value: string, isNew: boolean] | NoteReply> {
  const reply = await note(fixture, held, { memos: [{ name, value }] });
  if (reply.status !== "noted") return reply;
  const stored = only("one memo on record", present("memos of the reply", reply.memos));
  return [stored.value, stored.isNew];
}

/** The memos of a claim: `[name, value]`, by name. */
export function memosOf({ memos = [] }: Pick<Held, "memos">): readonly (readonly [string, string])[] {
  return memos.map(({ name, value }) => [name, value] as const).toSorted(([left], [right]) => (left < right ? -1 : 1));
}

export async function notesOf(
  { store, options }: StateFixture,
  jobId: string,
  query: Partial<Omit<NotesQuery, "items">> & { readonly after?: number } = {},
): Promise<NotesRecord> {
  const { after, lines = 1_000, order = "ascending", memos = "all" } = query;
  const records = await store.listNotes({ items: [{ jobId, after }], lines, order, memos }, options());
  return present("the notes of the job", only("one record a job", records));
}

export function line(seq: number, details: Partial<LogLine> = {}): LogLine {
  return { seq, at: 5_000 + seq, level: "info", message: `line ${seq}`, data: undefined, ...details };
}

export async function seqsOf(
  fixture: StateFixture,
  jobId: string,
  query: Parameters<typeof notesOf>[2] = {},
): Promise<readonly number[]> {
  return (await notesOf(fixture, jobId, query)).lines.map(({ seq }) => seq);
}
