import type { ChainwrightEvent } from "../model/event.ts";

/**
 * Told of every event after its commit. What it throws, returns late or never finishes changes nothing.
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
 *   capture: () => request.getStore(), // where a chain is started
 *   run: ({ context }, body) => request.run(context ?? "no request", body), // where its steps are done
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [Object.assign(() => {}, carrier)] });
 */
export interface ContextObserver {
  /** Called while a job is being prepared, where the caller's own context is current: text to keep with it. */
  capture(job: PreparedJob): string | undefined;
  /**
   * Runs an attempt inside the context it was started with. It calls `body` once and at once; what it makes of the result, and
   * when it settles itself, changes nothing.
   */
  run<T>(attempt: ObservedAttempt, body: () => Promise<T>): Promise<T>;
  /** Runs one of an attempt's two transactional steps, inside `run` and by the same rule. */
  step?<T>(name: AttemptStep, body: () => Promise<T>): Promise<T>;
}

/** The two callbacks of a handler that may write. */
export type AttemptStep = "prepare" | "complete";

/** A job that is about to be written: it may yet turn out a duplicate, be refused, or be rolled back. */
export interface PreparedJob {
  readonly jobId: string;
  readonly typeName: string;
  /** Whether it begins a chain or goes on with one. */
  readonly operation: "start" | "continue";
}

/** What an observer may know about an attempt. */
export interface ObservedAttempt {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly attempt: number;
  readonly workerId: string;
  /** What `capture` answered when the job was started. */
  readonly context: string | undefined;
  /** The chains that the job waited for, with what `capture` answered when they were started. */
  readonly blockers: readonly ObservedBlocker[];
}

/** A completed blocker of an attempt's job. */
export interface ObservedBlocker {
  readonly chainId: string;
  readonly typeName: string;
  readonly context: string | undefined;
}
