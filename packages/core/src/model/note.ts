/**
 * A job has at most this many memos.
 *
 * @example
 * const isFull = (memos: readonly Memo[]): boolean => memos.length >= mostMemos;
 */
export const mostMemos = 1_000;

/**
 * The newest lines of a job's log that a store keeps.
 *
 * @example
 * const kept = <Line>(lines: readonly Line[]): readonly Line[] => lines.slice(-mostLogLines);
 */
export const mostLogLines = 1_000;

/** The most bytes of the message of a line, and of its data as JSON. */
export const mostLineBytes = 8_192;

/** From the least to the most important. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

/** How important a line of a job's log is. */
export type LogLevel = (typeof logLevels)[number];

/** What a callback of `once` has returned. */
export interface Memo {
  /** Unique in its job. */
  readonly name: string;
  /** JSON text. Empty: the callback returned nothing. */
  readonly value: string;
}

/** A line of a job's log. */
export interface LogLine {
  /** Its place among the lines of its job, given by the worker. Lines of a later claim have greater ones. Places may be missing. */
  readonly seq: number;
  /** Milliseconds since 1970, by the worker's clock. */
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  /** JSON text. Undefined: none. */
  readonly data: string | undefined;
}

/** What an attempt reports that no one waits for. */
export interface Reports {
  /** The number of the attempt, which is stored beside what it notes. */
  readonly attempt: number;
  /** JSON text. It replaces the progress on record. Undefined: that stays. */
  readonly progress?: string | undefined;
  /** In the order of their `seq`. A line whose `seq` is on record is ignored, so that a repeated call doubles none. */
  readonly lines?: readonly LogLine[] | undefined;
}

/** A value that an attempt has noted, and when, by the store's clock. */
export interface Noted {
  /** JSON text. */
  readonly value: string;
  /** The number of the attempt. */
  readonly attempt: number;
  readonly at: number;
}

/** A memo, as a store returns it. */
export interface MemoRecord extends Memo, Noted {}

/** A line of a log, as a store returns it. */
export interface LogLineRecord extends LogLine {
  /** The number of the attempt that wrote it. */
  readonly attempt: number;
}

/** What the attempts of a job have noted. */
export interface NotesRecord {
  readonly jobId: string;
  /** Undefined: none, or the job has completed. */
  readonly checkpoint: Noted | undefined;
  readonly progress: Noted | undefined;
  /** In any order. None once the job has completed, sooner or later. */
  readonly memos: readonly MemoRecord[];
  /** A page, see `NotesQuery`. */
  readonly lines: readonly LogLineRecord[];
}
