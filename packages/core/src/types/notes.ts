/**
 * The `once` of a handler: runs a callback until it has succeeded once. What it returned is remembered by its name, and every later call
 * with the name, in any later attempt of the job, returns that and does not run the callback.
 *
 * @example
 * const createUpload = async (once: Once<unknown>): Promise<string> =>
 *   await once("create-upload", async ({ idempotencyKey }) => {
 *     const headers = { "idempotency-key": idempotencyKey };
 *     return await (await fetch("https://storage.example.com/uploads", { method: "POST", headers })).text();
 *   });
 */
export interface Once<out Tx> {
  /** Remembers what the callback returned after it has returned: it may run again if the process dies between the two. */
  <Result>(name: string, run: (context: OnceContext) => Promise<Result>): Promise<Result>;
  /** The writes of the callback with `tx` and what is remembered are one commit, so they are applied exactly once. */
  <Result>(
    name: string,
    options: OnceOptions,
    run: (context: OnceTransactionContext<Tx>) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * The options of `once`.
 *
 * @example
 * const exactlyOnce: OnceOptions = { tx: true };
 */
export interface OnceOptions {
  /** Runs the callback in a transaction. */
  readonly tx: true;
}

/** The argument of the callback of `once`. */
export interface OnceContext {
  /** The same in every attempt, and another for every job and name: pass it to other systems that must not do something twice. */
  readonly idempotencyKey: string;
}

/** The argument of the callback of `once` in a transaction. */
export interface OnceTransactionContext<out Tx> extends OnceContext {
  /** The database client's own handle of the transaction. */
  readonly tx: Tx;
}

/**
 * The log of a job. It is stored with the job, is read with `client.listNotes` and `client.watchJob`, and never fails or delays a
 * handler: lines are written a moment later, together with others. The newest 1,000 lines of 8 KiB each are kept.
 *
 * @example
 * const reportPart = (log: JobLog, offset: number): void => log.info("part done", { offset });
 */
export interface JobLog {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** Part of the job of a step with a checkpoint. */
export interface CheckpointedJob<out Checkpoint> {
  /** The checkpoint that was saved last, by this attempt's predecessors. Undefined: none was. */
  readonly checkpoint: Checkpoint | undefined;
}

/** Part of the context of handlers whose type declares a `checkpoint`. */
export interface CheckpointContext<in Written, out Read> {
  readonly job: CheckpointedJob<Read>;
  /**
   * Saves from where the next attempt goes on: durable when it resolves. It replaces what was saved before. If the worker is stopping,
   * the attempt ends here: the call rejects, and the job goes on in another attempt; this one does not count.
   *
   * @throws `attempt-ended`, with the cause `lease-lost`, `cancelled` or `completed-elsewhere`, if the job is no longer this attempt's
   */
  saveCheckpoint(checkpoint: Written): Promise<void>;
}

/** Part of the context of handlers whose type declares a `progress`. */
export interface ProgressContext<in Progress> {
  /** Reports how far the job is. It is not awaited: of several reports in a quarter of a second the last one is written. */
  progress(progress: Progress): void;
}

/** What a type adds to the context of its handler. */
export type NotesIn<Def, InputKey> = ("checkpoint" extends keyof Def
  ? CheckpointContext<Def["checkpoint"], Def[(InputKey extends "input" ? "checkpoint" : "resumes") & keyof Def]>
  : unknown) &
  ("progress" extends keyof Def ? ProgressContext<Def["progress"]> : unknown);
