import type { AttemptError } from "../model/attempt-error.ts";
import { causeLines } from "../model/error-text.ts";
import type { EventError } from "../model/event-error.ts";
import { isList } from "./check-options.ts";
import { describeError } from "./describe-error.ts";
import { failureKindOf } from "./failure-kind.ts";

/** How many errors of a job are stored: the newest. */
export const keptAttempts = 10;

/** What is stored of an attempt beside its error. */
export type AttemptMarks = Pick<AttemptError, "uncounted" | "decidedBy" | "batch">;

interface Failure {
  readonly attempt: number;
  readonly at: number;
  readonly workerId: string;
  readonly error: unknown;
  readonly marks?: AttemptMarks;
  /** Whether the job fails with it. */
  readonly isLast?: boolean;
}

/**
 * The JSON text of a job's errors, with one more at the end. It replaces the error of an attempt that did not count and had the same
 * number: such attempts may be many, and must not push out the others.
 */
export function appendAttemptError(errors: string | undefined, failure: Failure): string {
  const { attempt, at, workerId, error, marks, isLast } = failure;
  const { stack, ...described } = describeError(error);
  // The kind comes last, where stores look for it: see `storedFailureKind`.
  const kind = isLast === true ? kindOf({ ...described, stack }) : undefined;
  const entry: AttemptError = {
    attempt,
    at,
    workerId,
    ...described,
    stack,
    ...marks,
    ...(kind !== undefined && { kind }),
  };
  const before = readAttemptErrors(errors);
  const last = before.at(-1);
  const kept = last?.uncounted === true && last.attempt === attempt ? before.slice(0, -1) : before;
  return JSON.stringify([...kept, entry].slice(-keptAttempts));
}

function kindOf(error: EventError): string {
  return failureKindOf({ ...error, cause: causeLines(error)[0] }).kind;
}

/** The number of the last attempt up to `most` that reported an error and counts; 0: none did. */
export function lastReported(errors: string | undefined, most = Infinity): number {
  const counted = readAttemptErrors(errors).findLast(({ attempt, uncounted }) => attempt <= most && uncounted !== true);
  return counted?.attempt ?? 0;
}

/** The errors of a job, oldest first. */
export function readAttemptErrors(errors: string | undefined): readonly AttemptError[] {
  if (errors === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(errors);
    return isList(parsed) ? parsed.filter(isAttemptError) : [];
  } catch {
    // A damaged row must not prevent its job from failing properly.
    return [];
  }
}

function isAttemptError(value: unknown): value is AttemptError {
  return (
    typeof value === "object" &&
    value !== null &&
    "attempt" in value &&
    "message" in value &&
    typeof value.message === "string"
  );
}
