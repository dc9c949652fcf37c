import type { AttemptError } from "./attempt-error.ts";

/** The failed or cancelled blocker that made a job fail. */
export interface BlockerFailure {
  readonly chainId: string;
  readonly typeName: string;
  readonly status: "failed" | "cancelled";
  /** Milliseconds since 1970, by the store's clock. */
  readonly at: number;
}

/**
 * Returns the errors of a job that failed because of a blocker, as JSON text. All adapters use it, so that they all store the
 * same.
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
