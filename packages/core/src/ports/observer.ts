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

/** The optional pair that carries a context (a trace) from the start of a job to its attempts. */
export interface ContextObserver {
  /** Called while a job is being started: text to keep with it. */
  capture(): string | undefined;
  /** Runs an attempt inside the context it was started with. */
  run<T>(attempt: ObservedAttempt, body: () => Promise<T>): Promise<T>;
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
}
