import { ChainwrightError } from "chainwright";
import type { NoteRows, NotesRecord } from "chainwright/adapter";
import type { JobRow } from "../rows/job-row.ts";

/** What attempts note about their jobs. */
export function createNoteRows(): NoteRows<JobRow> {
  return { addMemo: refuse, setCheckpoint: refuse, setProgress: refuse, addLines: refuse };
}

export function createListNotes() {
  return (): readonly (NotesRecord | undefined)[] => refuse();
}

function refuse(): never {
  throw new ChainwrightError("invalid-input", "notes are not built yet for SQLite.");
}
