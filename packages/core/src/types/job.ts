import type { AttemptError } from "../model/attempt-error.ts";
import type { ChainId, JobId } from "../model/ids.ts";
import type { ScheduledTick } from "../model/scheduled-tick.ts";
import type { BlockerCounts } from "../model/record.ts";
import type { JobStatus, OnBlockerFailure } from "../model/status.ts";
import type { AnyEnv } from "./env.ts";
import type { InputOf, OutputOf, StoredOutput } from "./job-type-lookups.ts";
import type { StoredForm } from "./stored-form.ts";
import type { Found, UndeclaredName } from "./undeclared.ts";

/* Without type parameters, so that it is instantiated once for all types. */
/** What the jobs of all types have. */
export interface AttemptedJob {
  readonly id: JobId;
  readonly chainId: ChainId;
  /** From 1. */
  readonly attempt: number;
  /** The reason why the previous attempt did not succeed. */
  readonly lastError: AttemptError | undefined;
  readonly createdAt: Date;
  /** The same for every attempt: pass it to other systems that must not do something twice. */
  readonly idempotencyKey: string;
  /** The tick of a recurring schedule that started the job. Later steps of its chain have none. */
  readonly tick?: ScheduledTick | undefined;
}

/**
 * The job that a handler works on.
 *
 * @example
 * const subject = ({ input, attempt }: Job<"mail.send", { to: string }, readonly []>) =>
 *   attempt === 1 ? `For ${input.to}` : `For ${input.to} (sent again)`;
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: { "mail.send": async ({ job }) => ({ sent: subject(job) !== "" }) },
 * });
 */
export interface Job<out Name, out Input, out Blockers> extends AttemptedJob {
  readonly typeName: Name;
  readonly input: Input;
  /** The completed chains that it waited for, in the order in which its type declares them. */
  readonly blockers: Blockers;
}

/** A job as it is stored. */
export interface StoredJob<out Name, out Input, out Output> extends StoredForm {
  readonly id: JobId;
  readonly chainId: ChainId;
  readonly typeName: Name;
  /** From 1: its place in the chain. */
  readonly step: number;
  readonly status: JobStatus;
  /** Higher is claimed first. */
  readonly priority: number;
  /** Only workers that serve this pool run it. Undefined: it has none. */
  readonly pool: string | undefined;
  readonly input: Input;
  /** Set when it ended its chain as completed. */
  readonly output: Output | undefined;
  /** The number of attempts that have begun. */
  readonly attempt: number;
  /** The last attempts' errors, oldest first. */
  readonly errors: readonly AttemptError[];
  readonly lastError: AttemptError | undefined;
  /** The last attempts that never reported a result, oldest first. They have no error. */
  readonly lostAttempts: readonly LostAttempt[];
  readonly createdAt: Date;
  /** When it is due, while `scheduled`. */
  readonly scheduledAt: Date | undefined;
  /** Until when it waits for signals, while `waiting`. Undefined: only signals end the wait. */
  readonly waitsUntil: Date | undefined;
  /** When the running or last attempt began. */
  readonly startedAt: Date | undefined;
  /** The worker that holds the lease, or held it last. */
  readonly leasedBy: string | undefined;
  readonly leasedUntil: Date | undefined;
  readonly endedAt: Date | undefined;
  /** The id of the job that continued it. */
  readonly continuedAs: JobId | undefined;
  /** Blockers that have not completed. */
  readonly blockersLeft: number;
  /** Set by `getJob` while it is `blocked`: how many chains it waits for, and how many of these have completed and failed. */
  readonly blockers?: BlockerCounts | undefined;
  readonly onBlockerFailure: OnBlockerFailure;
}

/** An attempt that never reported a result, because its worker died or could not renew the lease in time. */
export interface LostAttempt {
  readonly attempt: number;
  /** Who held the lease, since when, and when it ran out. Known until the job is claimed again. */
  readonly workerId: string | undefined;
  readonly startedAt: Date | undefined;
  readonly leasedUntil: Date | undefined;
}

/**
 * A job of a type that the client does not declare. Reads without a `typeName` return these as well.
 *
 * @example
 * const headline = ({ typeName, status }: UndeclaredJob) => `${typeName}: ${status}`;
 */
export type UndeclaredJob = StoredJob<UndeclaredName, unknown, unknown>;

/** The jobs that a read returns: a union that `typeName` narrows. */
export type StoredJobOf<E extends AnyEnv, Name extends PropertyKey> = Found<
  StoredJobs<E["types"]>,
  E["names"],
  Name,
  UndeclaredJob
>;

type StoredJobs<Types> = {
  [Name in keyof Types]: StoredJob<Name, InputOf<Types[Name]>, StoredOutput<OutputOf<Types[Name]>>>;
};
