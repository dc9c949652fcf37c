import type { LogLineRecord, Noted } from "../model/note.ts";
import type { JobRow } from "./row-types.ts";

/** What the store keeps of notes. */
export interface Notes {
  readonly byJob: Map<JobRow, JobNotes>;
  /** Jobs with notes that have completed, or were about to. */
  readonly completed: Set<JobRow>;
}

/** What the attempts of a job have noted. It is replaced, never changed, except for the memos. */
export interface JobNotes {
  readonly memos: Map<string, Noted>;
  readonly checkpoint: Noted | undefined;
  readonly progress: Noted | undefined;
  /** In the order of their `seq`. */
  readonly lines: readonly LogLineRecord[];
}

export function createNotes(): Notes {
  return { byJob: new Map(), completed: new Set() };
}
