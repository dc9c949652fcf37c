import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";

/** An error that a reader may be told: its code, and its sentence. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The HTTP status for each error code whose message names only ids and types. All other messages stay in the log. */
const publicCodes: ReadonlyMap<ChainwrightErrorCode, number> = new Map([
  ["invalid-input", 400],
  ["payload-too-large", 413],
  ["payload-not-serializable", 400],
  ["unknown-job-type", 400],
  ["chain-not-found", 404],
  ["job-not-found", 404],
  ["limit-not-found", 404],
  ["job-type-mismatch", 409],
  ["schedule-not-found", 404],
  ["schedule-changed", 409],
  ["input-unreadable", 409],
  ["chain-not-active", 409],
  ["job-not-scheduled", 409],
  ["chain-not-retryable", 409],
  ["chain-referenced", 409],
  ["blocker-cycle", 409],
]);

/**
 * Returns the refusal for an error; undefined if its message must not leave the server.
 *
 * @example
 * const responseOf = (error: unknown): Response => {
 *   const refusal = refusalOf(error);
 *   return new Response(refusal?.message ?? "See the log.", { status: refusal?.status ?? 500 });
 * };
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!isChainwrightError(error)) return undefined;
  const status = publicCodes.get(error.code);
  return status === undefined ? undefined : new Refusal(status, error.code, error.message);
}
