import { isChainwrightError, type ChainwrightError } from "../model/error.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import type { AttemptLife } from "./attempt-life.ts";
import { isReschedule } from "./failure-outcome.ts";
import { isResultOfComplete } from "./handler-result.ts";

/** How the steps of an attempt have ended: `settled` by `complete`. */
type Ended = "settled" | "lost" | "unsettled";

/** What a handler that has returned did wrong, without an effect on its outcome. */
export function mistakeOfReturn(life: AttemptLife, ended: Ended, value: unknown): ChainwrightError | undefined {
  const { typeName } = life.job;
  if (ended === "settled" && !isResultOfComplete(value)) {
    return handlerResultError(
      typeName,
      "returned a value after complete; the outcome of complete is kept, and the value is dropped. Return what complete returns",
    );
  }
  if (ended === "settled" && life.hasContinued) {
    return handlerResultError(
      typeName,
      "called continueWith after complete; the outcome of complete is kept. Return the result of continueWith from the callback of complete",
    );
  }
  const call = life.rescheduledBy;
  if (call === undefined) return undefined;
  return handlerResultError(
    typeName,
    `called ${call}, and a catch swallowed what that throws; its result is kept. Call ${call} outside of try, or rethrow`,
  );
}

/** What a handler that has thrown did wrong, beside the error that it threw. */
export function mistakeOfThrow(life: AttemptLife, ended: Ended, error: unknown): ChainwrightError | undefined {
  const { typeName } = life.job;
  if (ended === "settled") {
    if (isChainwrightError(error, "handler-result")) return error;
    return handlerResultError(typeName, "threw after complete; the outcome of complete is kept", { cause: error });
  }
  const call = life.rescheduledBy;
  if (call === undefined || isReschedule(error)) return undefined;
  return handlerResultError(
    typeName,
    `called ${call}, and a catch replaced what that throws by another error; the attempt has failed. Rethrow it unchanged`,
    { cause: error },
  );
}
