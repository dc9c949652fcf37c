import type { AttemptSignal, Prepare } from "./handler-context.ts";
import type { StepTypes } from "./step-types.ts";
import type { ScheduleOption } from "./schedule-option.ts";
import type { Completed, Continuation } from "./step-result.ts";

/* The compiler names it if another value is returned. */
declare const madeByBatch: unique symbol;

/** The result of one job of a batch that has failed, or is tried again later: what `failed`, `failed.fatal` and `reschedule.of` return. */
export interface EndedJob {
  readonly [madeByBatch]: true;
}

/**
 * How the jobs of a type are handled together: one call of the handler for many of them. The handler is in it, because the compiler
 * cannot find out the type of a parameter by what is beside it in an object.
 */
export interface BatchOptions<in out Step extends StepTypes<unknown, unknown>, in out Added> {
  /** Gets the jobs, and returns an array with a result for each of them, in their order: what `complete` returns, if it called that. */
  readonly handler: (
    context: BatchContextOf<Step> & Added,
  ) => Promise<readonly BatchResult<Step["output"]>[] | Completed>;
  /** The most jobs of one call. From 1 to 10,000. */
  readonly maxSize: number;
  /** How long the first job waits for others, at most: half of `leaseMs`, or less. */
  readonly maxWaitMs: number;
  /** Only jobs for which it returns the same get into one call. If it throws, the attempt of that job fails. */
  readonly by?: ((input: InputOf<Step["context"]>) => string | number | boolean | null | undefined) | undefined;
  /**
   * What a throw of the handler means for the next attempts of its jobs. `bisect`, the default: each attempt halves the number of jobs
   * that a job shares a call with, so that one which breaks its calls is alone in the end. `together`: their number stays.
   */
  readonly onThrow?: "bisect" | "together" | undefined;
}

/** The argument of a handler that gets many jobs in one call. */
export interface BatchContext<out Job, out Tx, in Output, out ContinueWith> {
  /** The jobs, one at least. One that is lost while the handler runs stays here, and its result is dropped. */
  readonly jobs: readonly Job[];
  /** Aborts when the attempts at all of these jobs should stop. */
  readonly signal: AttemptSignal;
  /** The result of a job whose attempt has failed: its own retry policy decides what follows. */
  readonly failed: Failed;
  /** Continues the chain of a job with another step: the result of that job. */
  readonly continueWith: ContinueWith;
  /** Ends the attempts of all jobs and tries them again at that time; no attempt is used up. Throws. `of`: the same for one job, as its result. */
  readonly reschedule: RescheduleBatch;
  /**
   * Ends all jobs in one transaction: the callback's writes with `tx` commit together with the results that it returns, or not at all.
   * If a job has been lost meanwhile, everything rolls back, and the callback is called again without that job. So it must use the
   * `jobs` of its own argument. Return its result.
   */
  complete(
    callback: (context: CompleteBatchContext<Job, Tx, ContinueWith>) => Promise<readonly BatchResult<Output>[]>,
  ): Promise<Completed>;
}

/** The argument of the callback of the `complete` of a batch. */
export interface CompleteBatchContext<out Job, out Tx, out ContinueWith> {
  /** The database client's own handle of the transaction in which the jobs end. */
  readonly tx: Tx;
  /** The jobs that end in it: those of the batch without those that were lost. */
  readonly jobs: readonly Job[];
  /** Continues the chain of a job with another step: the result of that job. */
  readonly continueWith: ContinueWith;
}

/** The result of a job of a batch. */
export type BatchResult<Output> = Output | Continuation | EndedJob;

/** Makes the result of a job whose attempt has failed. `fatal`: it is not tried again. */
export interface Failed {
  (error: unknown): EndedJob;
  fatal(reason: string | Error): EndedJob;
}

/** Tries jobs of a batch again later. */
export interface RescheduleBatch {
  (schedule: ScheduleOption): never;
  of(schedule: ScheduleOption): EndedJob;
}

type InputOf<Context> = Context extends { readonly job: { readonly input: infer Input } } ? Input : never;

type BatchContextOf<Step extends StepTypes<unknown, unknown>> = Step["context"] extends {
  readonly job: infer Job;
  readonly continueWith: infer ContinueWith;
  readonly prepare: Prepare<infer Tx>;
}
  ? BatchContext<Job, Tx, Step["output"], ContinueWith>
  : never;
