import type { LogLine, Memo } from "../model/note.ts";

/** What the rules need of a store for the notes of attempts: small synchronous writes that decide nothing. */
export interface NoteRows<Job> {
  /** Writes a memo, unless there is one of its name: then it writes nothing and returns the value on record. */
  addMemo(job: Job, memo: Memo, by: NotedBy): string | undefined;
  /** Replaces the checkpoint. */
  setCheckpoint(job: Job, value: string, by: NotedBy): void;
  /** Replaces the progress. */
  setProgress(job: Job, value: string, by: NotedBy): void;
  /** Adds lines, but those whose `seq` is on record, and forgets all but the newest `mostLogLines`. */
  addLines(job: Job, lines: readonly LogLine[], by: NotedBy): void;
}

/** Who notes something, and when. */
export interface NotedBy {
  /** The number of the attempt. */
  readonly attempt: number;
  readonly at: number;
}
