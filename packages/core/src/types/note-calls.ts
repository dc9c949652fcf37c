import type { JobStatus } from "../model/status.ts";
import type { LogLevel } from "../model/note.ts";
import type { JobId } from "../model/ids.ts";
import type { AnyEnv } from "./env.ts";
import type { ByJobId, InTransaction } from "./list-options.ts";
import type { JobOfType } from "./read-calls.ts";
import type { UndeclaredName } from "./undeclared.ts";

/* An alias; see `StartCalls`. */
/** The client's calls about what handlers note while they run. */
export type NoteCalls<in out E extends AnyEnv> = {
  /**
   * Watches a job from any process: its status, and what its handler reports with `progress`, `log` and `saveCheckpoint`. It begins with
   * what is on record, and ends with the job. With a notify adapter an update arrives within milliseconds of its write, otherwise within
   * half a second. Of progress and checkpoints that follow each other quickly the last one arrives; every line that is kept arrives.
   *
   * @throws `job-not-found`, `job-type-mismatch`, `closed`, or the signal's reason
   * @example
   * for await (const update of client.watchJob({ id, signal: AbortSignal.timeout(60_000) })) {
   *   if (update.kind === "log") console.log(update.level, update.message);
   *   if (update.kind === "status") console.log(update.status);
   * }
   */
  watchJob<Name extends E["names"] | UndeclaredName = UndeclaredName>(
    options: JobOfType<Name> & WatchOptions,
  ): AsyncIterable<JobUpdate<NotedOf<E["types"], Name, "progress">, NotedOf<E["types"], Name, "checkpoint">>>;

  /**
   * Reads what the handlers of jobs have noted: checkpoint, progress, a page of the log, and with `memos: true` what `once` remembers.
   * In the order of the items; undefined for a job that does not exist.
   *
   * @example
   * const [notes] = await client.listNotes({ items: [{ id }], limit: 20, order: "newest" });
   * for (const { at, level, message } of notes?.lines ?? []) console.log(at, level, message);
   */
  listNotes(options: ListNotesOptions & InTransaction<E["tx"]>): Promise<readonly (JobNotes | undefined)[]>;
};

/**
 * The options of `watchJob`.
 *
 * @example
 * const whileConnected = (request: Request): WatchOptions => ({ signal: request.signal });
 */
export interface WatchOptions {
  /** Ends the watch with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type NotedOf<Types, Name, Key extends string> = Name extends keyof Types
  ? Types[Name][Key & keyof Types[Name]]
  : unknown;

/** What a watch tells of its job. */
export type JobUpdate<Progress = unknown, Checkpoint = unknown> =
  | {
      readonly kind: "status";
      readonly status: JobStatus;
      /** The number of attempts that have begun. */
      readonly attempt: number;
    }
  | { readonly kind: "progress"; readonly progress: Progress; readonly attempt: number; readonly at: Date }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint; readonly attempt: number; readonly at: Date }
  | ({ readonly kind: "log" } & LoggedLine);

/** A line of a job's log. */
export interface LoggedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly data: unknown;
  readonly attempt: number;
  readonly at: Date;
}

/**
 * The options of `listNotes`.
 *
 * @example
 * const bars = (ids: readonly string[]): ListNotesOptions => ({ items: ids.map((id) => ({ id })), limit: 0 });
 */
export interface ListNotesOptions {
  /** At most 1,000 jobs; `cursor` is the `nextCursor` of its previous page of lines. */
  readonly items: readonly (ByJobId & { readonly cursor?: string | undefined })[];
  /** The most lines of each job, up to 1,000; 0: none. Default: 50. */
  readonly limit?: number | undefined;
  /** Of the lines. Default: `oldest` first. */
  readonly order?: "oldest" | "newest" | undefined;
  /** Whether to read what `once` remembers. Default: no. */
  readonly memos?: boolean | undefined;
}

/** What the handler of a job has noted. */
export interface JobNotes {
  readonly id: JobId;
  /** Undefined: none, or the job has completed. */
  readonly checkpoint: NotedValue | undefined;
  readonly progress: NotedValue | undefined;
  /** By name. They are forgotten some time after the job has completed. */
  readonly memos: readonly ({ readonly name: string } & NotedValue)[];
  readonly lines: readonly LoggedLine[];
  /** Undefined: there are no further lines. */
  readonly nextCursor: string | undefined;
}

/** A value that a handler noted, and when. */
export interface NotedValue {
  readonly value: unknown;
  /** The number of the attempt. */
  readonly attempt: number;
  readonly at: Date;
}
