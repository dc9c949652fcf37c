import { checkDuration, checkInteger, checkKeys, invalid, show } from "../checks/check-options.ts";
import type { AttemptPolicy } from "./attempt-options.ts";

/** How the jobs of a type are handled together, as it is given. */
export interface GivenBatch {
  /** Of a handler beside `batch`: undefined. */
  readonly handler?: ((context: object) => unknown) | undefined;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly by?: ((input: unknown) => unknown) | undefined;
  readonly onThrow?: "bisect" | "together" | undefined;
}

/** How the jobs of a type are handled together. */
export interface BatchPolicy {
  readonly maxSize: number;
  readonly maxWaitMs: number;
  /** Only jobs for which it returns the same get into one batch. Undefined: all do. */
  readonly by: ((input: unknown) => unknown) | undefined;
  /** Whether the batches of a job get smaller with each of its attempts. */
  readonly bisects: boolean;
}

const batchKeys = { handler: true, maxSize: true, maxWaitMs: true, by: true, onThrow: true } satisfies Record<
  keyof GivenBatch,
  true
>;
const largestSize = 10_000;

/** @param what for the error: `the processor of "mail.send"` */
export function checkBatch(batch: GivenBatch, what: string): BatchPolicy {
  if (typeof batch !== "object" || batch === null)
    throw invalid(`batch of ${what} must be an object { maxSize, maxWaitMs }; got ${show(batch)}.`);
  checkKeys(batch, batchKeys, `batch of ${what}`);
  const { maxSize, maxWaitMs, by, onThrow = "bisect" } = batch;
  if (by !== undefined && typeof by !== "function")
    throw invalid(`batch.by of ${what} must be a function; got ${show(by)}.`);
  if (onThrow !== "bisect" && onThrow !== "together")
    throw invalid(`batch.onThrow of ${what} must be "bisect" or "together"; got ${show(onThrow)}.`);
  return {
    maxSize: checkInteger(maxSize, `batch.maxSize of ${what}`, { min: 1, max: largestSize }),
    maxWaitMs: checkDuration(maxWaitMs, `batch.maxWaitMs of ${what}`),
    by,
    bisects: onThrow === "bisect",
  };
}

interface BatchType extends AttemptPolicy {
  readonly typeName: string;
  readonly batch: BatchPolicy | undefined;
}

/** Checks batches against the leases and attempts of their types, which may be those of the worker. */
export function checkBatches(processors: Iterable<BatchType>, defaultLeaseMs: number): void {
  for (const { typeName, batch, leaseMs = defaultLeaseMs, retry } of processors) {
    if (batch === undefined) continue;
    const { maxSize, maxWaitMs, bisects } = batch;
    if (maxWaitMs > leaseMs / 2)
      throw invalid(
        `batch.maxWaitMs of "${typeName}" must be at most half of leaseMs, which is ${leaseMs}; got ${maxWaitMs}. Set a longer leaseMs.`,
      );
    const fewest = Math.floor(Math.log2(maxSize)) + 1;
    if (bisects && retry.maxAttempts < fewest)
      throw invalid(
        `retry.maxAttempts of "${typeName}" must be at least ${fewest} for batches of ${maxSize}, so that a job which breaks its batch is alone before its attempts are used up; got ${retry.maxAttempts}. Allow more attempts, or set batch.onThrow to "together".`,
      );
  }
}
