import type { AttemptError } from "./attempt-error.ts";

/** What stands as the error of a job that failed because a blocker did. */
export interface BlockerFailure {
  readonly chainId: string;
  readonly typeName: string;
  readonly status: "failed" | "cancelled";
  /** Milliseconds since 1970, by the store's clock. */
  readonly at: number;
}

/**
 * The JSON text of the errors of a job that failed with a blocker. One function for
 * every adapter, so that they all store the same.
 *
 * @example
 * const errors = blockerFailureErrors({ chainId: id, typeName: "stock.reserve", status: "failed", at: Date.now() });
 */
export function blockerFailureErrors(failure: BlockerFailure): string {
  const verb = failure.status === "failed" ? "failed" : "was cancelled";
  const error: AttemptError = {
    attempt: 0,
    at: failure.at,
    workerId: "",
    name: "blocker-failed",
    message: `blocker chain ${failure.chainId} (${failure.typeName}) ${verb}`,
    stack: undefined,
  };
  return JSON.stringify([error]);
}
