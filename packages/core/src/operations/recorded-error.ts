import type { AttemptError } from "../model/attempt-error.ts";
import { errorPhrase } from "../model/error-text.ts";
import type { EventError } from "../model/event-error.ts";

/** Says how an attempt failed. */
export function failureSentence(error: AttemptError): string {
  const decided = error.decidedBy === "when" ? " The retry.when of its processor decided what happened next." : "";
  return `Attempt ${error.attempt} failed: ${errorPhrase(error)}.${batchSentence(error)}${decided}`;
}

/** Says with how many jobs it shared its call of the handler. Empty: it had one of its own. */
function batchSentence({ batch }: AttemptError): string {
  if (batch === undefined) return "";
  const { size, halvings } = batch;
  const halved = halvings === 0 ? "" : ` after ${halvings === 1 ? "one halving" : `${halvings} halvings`}`;
  return size === 1 ? ` It was alone in its batch${halved}.` : ` It was in a batch of ${size}${halved}.`;
}

/**
 * An error that was recorded as text, as an `Error` again: with its name, code, stack and causes, so that loggers print it like any
 * other.
 */
export function errorOfRecord({ name, message, code, stack, cause, errors }: EventError): Error {
  const options = cause === undefined ? {} : { cause: errorOfRecord(cause) };
  const error =
    errors === undefined
      ? new Error(message, options)
      : new AggregateError(errors.map(errorOfRecord), message, options);
  const fields = { name, stack: stack ?? `${name}: ${message}`, ...(code !== undefined && { code }) };
  for (const [key, value] of Object.entries(fields))
    Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: key === "code" });
  return error;
}
