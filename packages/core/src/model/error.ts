/** Every code a {@link ChainwrightError} can carry. Codes are stable; messages may improve. */
export type ChainwrightErrorCode =
  | "invalid-input"
  | "payload-not-serializable"
  | "payload-too-large"
  | "input-unreadable"
  | "unknown-job-type"
  | "not-an-entry"
  | "duplicate-job-type"
  | "duplicate-limit"
  | "duplicate-id"
  | "chain-not-found"
  | "job-not-found"
  | "limit-not-found"
  | "job-type-mismatch"
  | "chain-not-active"
  | "job-not-scheduled"
  | "chain-not-retryable"
  | "chain-referenced"
  | "blocker-cycle"
  | "schedule-not-found"
  | "schedule-changed"
  | "unknown-signal"
  | "too-many-signals"
  | "duplicate-memo"
  | "lease-lost"
  | "cancelled"
  | "completed-elsewhere"
  | "timeout"
  | "worker-stopping"
  | "attempt-ended"
  | "await-timeout"
  | "chain-failed"
  | "chain-cancelled"
  | "blocker-failed"
  | "handler-result"
  | "transaction-conflict"
  | "store-unavailable"
  | "store-corrupt"
  | "not-migrated"
  | "schema-too-new"
  | "schema-in-use"
  | "schema-changed"
  | "journal-damaged"
  | "closed";

/**
 * The one error class of the library. Compare `code`, not `instanceof`: two copies of a package may meet in one
 * process, and a code survives that.
 *
 * @example
 * const report = ({ code, message, details }: ChainwrightError) => logger.warn({ code, message, ...details });
 * await client.cancelChain({ id }).catch((error: unknown) => {
 *   if (!isChainwrightError(error)) throw error;
 *   report(error);
 * });
 */
export class ChainwrightError extends Error {
  readonly code: ChainwrightErrorCode;
  /** Details for programs: ids, names, limits. Never a payload. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ChainwrightErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ChainwrightError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

/**
 * Whether a thrown value is a Chainwright error, optionally of one code; works across copies of the package.
 *
 * @example
 * try {
 *   await client.awaitChain({ id }, { timeoutMs: 1_000 });
 * } catch (error) {
 *   if (isChainwrightError(error, "await-timeout")) return "still running";
 *   throw error;
 * }
 */
export function isChainwrightError(error: unknown, code?: ChainwrightErrorCode): error is ChainwrightError {
  try {
    if (!(error instanceof Error) || error.name !== "ChainwrightError" || !("code" in error)) return false;
    return code === undefined || error.code === code;
  } catch {
    // A revoked proxy throws when it is read; it is not an error of this library.
    return false;
  }
}

/**
 * Thrown by a handler to end its chain as `failed` at once: no further attempt is made.
 *
 * @example
 * if (order === undefined) throw new FatalError(`order ${job.input.orderId} does not exist`);
 */
export class FatalError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "FatalError";
  }
}
