import type { AttemptError } from "../model/attempt-error.ts";
import { isList } from "./check-options.ts";
import { describeError } from "./describe-error.ts";

/** How many errors of a job are stored: the newest. */
const keptAttempts = 10;

/** The JSON text of a job's errors, with one more at the end. */
export function appendAttemptError(
  errors: string | undefined,
  failure: { readonly attempt: number; readonly at: number; readonly workerId: string; readonly error: unknown },
): string {
  const { attempt, at, workerId, error } = failure;
  const { stack, ...described } = describeError(error);
  const entry: AttemptError = { attempt, at, workerId, ...described, stack };
  return JSON.stringify([...readAttemptErrors(errors), entry].slice(-keptAttempts));
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
