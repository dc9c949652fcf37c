import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import { checkDuration, checkKeys, invalid, show } from "../checks/check-options.ts";
import type { RetryDecision } from "../types/retry.ts";
import type { Processor } from "./processor.ts";

/** What happens to a failed attempt. */
export type Verdict = "fail" | "retry" | { readonly afterMs: number; readonly counted: boolean };

/** Some services ask for a retry after 0 s, each time: a job that repeats without an end must not run all the time. */
const shortestUncountedMs = 1_000;

/** A failed attempt that `retry.when` decides on. */
interface Undecided {
  readonly processor: Pick<Processor, "typeName" | "retry">;
  readonly attempt: number;
  readonly error: unknown;
}

/** Asks `retry.when`. Without one, and after a mistake in it, the rest of the policy decides. */
export function decideRetry(
  { processor, attempt, error }: Undecided,
  reportMistake: (mistake: ChainwrightError) => void,
): Verdict {
  const { when } = processor.retry;
  if (when === undefined) return "retry";
  const what = `retry.when of "${processor.typeName}"`;
  let decision: RetryDecision;
  try {
    decision = when(error, { attempt });
  } catch (cause) {
    reportMistake(mistakeOf(`${what} threw an error.`, cause));
    return "retry";
  }
  try {
    return readDecision(decision, what);
  } catch (cause) {
    const isOwn = isChainwrightError(cause, "invalid-input");
    const mistake = isOwn ? mistakeOf(cause.message) : mistakeOf(`${what} returned an object that throws.`, cause);
    reportMistake(mistake);
    return "retry";
  }
}

const delayKeys = { afterMs: true, uncounted: true } satisfies Record<keyof Delay, true>;

type Delay = Extract<RetryDecision, object>;

function readDecision(decision: RetryDecision, what: string): Verdict {
  if (decision === "fail" || decision === "retry") return decision;
  const isPromise = quietenPromise(decision);
  if (typeof decision !== "object" || decision === null || isPromise)
    throw invalid(
      `${what} must return "fail", "retry" or { afterMs, uncounted }; got ${isPromise ? "a promise" : show(decision)}.`,
    );
  checkKeys(decision, delayKeys, `the object that ${what} returned`);
  const { afterMs, uncounted = false } = decision;
  const delayMs = checkDuration(afterMs, `afterMs of ${what}`);
  if (typeof uncounted !== "boolean") throw invalid(`uncounted of ${what} must be a boolean; got ${show(uncounted)}.`);
  return uncounted
    ? { afterMs: Math.max(delayMs, shortestUncountedMs), counted: false }
    : { afterMs: delayMs, counted: true };
}

/**
 * Whether a value is a promise, also one of another realm; its rejection then does not end the process. Other objects with a `then` are
 * not called: some database clients send their query then.
 */
function quietenPromise(value: unknown): boolean {
  try {
    void Promise.prototype.then.call(value, undefined, () => undefined);
    return true;
  } catch {
    return false;
  }
}

function mistakeOf(reason: string, cause?: unknown): ChainwrightError {
  const message = `${reason} The attempt is retried as if it had returned "retry".`;
  return new ChainwrightError("handler-result", message, cause === undefined ? {} : { cause });
}
