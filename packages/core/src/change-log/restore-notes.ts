import type { LogLineRecord, Noted } from "../model/note.ts";
import { noteCompleted } from "../in-process/notes.ts";
import type { JobRow } from "../in-process/row-types.ts";
import type { Store } from "../in-process/store.ts";
import { rowsOf, type Collected } from "./collect.ts";
import { toLine, toNoted, toNotes, toText } from "./rows.ts";

/** What attempts have noted. Memos are in the order in which they were written, lines in that of their numbers. */
export function restoreNotes(store: Store, collected: Collected): void {
  const { jobs, notes } = store;
  const memosOf = new Map<JobRow, Map<string, Noted>>();
  const linesOf = new Map<JobRow, LogLineRecord[]>();
  for (const { key, value } of rowsOf(collected, "note")) {
    const row = jobs.get(toText(key[0]));
    if (row === undefined) continue;
    const [memos, lines] = [new Map<string, Noted>(), new Array<LogLineRecord>()];
    memosOf.set(row, memos);
    linesOf.set(row, lines);
    notes.byJob.set(row, { memos, lines, ...toNotes(value) });
    if (row.status === "completed") noteCompleted(store, row);
  }
  for (const { key, value } of rowsOf(collected, "memo"))
    jobOf(store, memosOf, key)?.set(toText(key[1]), toNoted(value));
  for (const { key, value } of rowsOf(collected, "line")) jobOf(store, linesOf, key)?.push(toLine(value));
  for (const lines of linesOf.values()) lines.sort((left, right) => left.seq - right.seq);
}

function jobOf<Part>({ jobs }: Store, parts: ReadonlyMap<JobRow, Part>, [id]: readonly unknown[]): Part | undefined {
  const row = jobs.get(toText(id));
  return row && parts.get(row);
}
