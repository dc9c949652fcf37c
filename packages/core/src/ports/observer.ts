import type { ChainwrightEvent } from "../model/event.ts";
import type { LogLevel } from "../model/note.ts";

/**
 * Receives every event after its commit. Errors that it throws, and promises that it returns, change nothing.
 *
 * @example
 * const failures: Observer = (event) => {
 *   if (event.type === "chain-failed") alerts.send(`${event.typeName} ${event.chainId} failed`);
 * };
 */
export type Observer = ((event: ChainwrightEvent) => void) & Partial<ContextObserver>;

/**
 * What an observer adds to carry a context (a trace) from the start of a job to its attempts.
 *
 * @example
 * import { AsyncLocalStorage } from "node:async_hooks";
 *
 * const request = new AsyncLocalStorage<string>();
 * const carrier: ContextObserver = {
 *   capture: () => request.getStore(), // where a chain starts
 *   run: ({ context }, body) => request.run(context ?? "no request", body), // where its steps run
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [Object.assign(() => {}, carrier)] });
 */
export interface ContextObserver {
  /** Called while a job is being prepared, in the caller's own context. Returns a text to store with the job. */
  capture(job: PreparedJob): string | undefined;
  /**
   * Runs an attempt in the context of its job. It must call `body` once, synchronously. Its own result and the time when it settles
   * change nothing.
   */
  run<T>(attempt: ObservedAttempt, body: () => Promise<T>): Promise<T>;
  /** Runs one of the two transactional steps of an attempt, inside `run` and under the same rule. */
  step?<T>(name: AttemptStep, body: () => Promise<T>): Promise<T>;
  /** Told of a line that a handler logs with `log`, in the context of that call. */
  log?(line: ObservedLine): void;
}

/** A line that a handler logs. */
export interface ObservedLine {
  readonly level: LogLevel;
  readonly message: string;
  /** As the handler gave it. */
  readonly data: unknown;
}

/** The two callbacks of a handler that may write. */
export type AttemptStep = "prepare" | "complete";

/** A job that is about to be written. It may still be a duplicate, be refused or be rolled back. */
export interface PreparedJob {
  readonly jobId: string;
  readonly typeName: string;
  /** Whether the job starts a chain or continues one, or a signal is sent to jobs of its type: then no job has this id. */
  readonly operation: "start" | "continue" | "signal";
}

/** The attempt that an observer runs. */
export interface ObservedAttempt {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly attempt: number;
  readonly workerId: string;
  /** What `capture` returned when the job was started. */
  readonly context: string | undefined;
  /** The chains that the job waited for, with what `capture` returned when they were started. */
  readonly blockers: readonly ObservedBlocker[];
  /** The signals that the job has received, with what `capture` returned when they were sent. Undefined: it did not wait. */
  readonly signals?: readonly ObservedSignal[] | undefined;
  /** All jobs of the batch that the handler gets in one call; the other fields are of the first one. Undefined: it gets one job. */
  readonly batch?: readonly ObservedBatchJob[] | undefined;
}

/** A job of a batch. */
export interface ObservedBatchJob {
  readonly jobId: string;
  readonly chainId: string;
  readonly attempt: number;
  /** What `capture` returned when the job was started. */
  readonly context: string | undefined;
}

/** A signal that the job of an attempt has received. */
export interface ObservedSignal {
  readonly signal: string;
  readonly context: string | undefined;
}

/** A completed blocker of an attempt's job. */
export interface ObservedBlocker {
  readonly chainId: string;
  readonly typeName: string;
  readonly context: string | undefined;
}
