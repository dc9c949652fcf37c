import { isChainwrightError, type ChainwrightError, type ChainwrightErrorCode } from "chainwright";

/** An error that the client may read. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, code: string, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The HTTP status for each code of the library that a client may cause. All other errors are internal. */
const statuses: ReadonlyMap<ChainwrightErrorCode, number> = new Map([
  ["invalid-input", 400],
  ["payload-not-serializable", 400],
  ["not-an-entry", 400],
  ["unknown-job-type", 400],
  ["unknown-signal", 400],
  ["handler-result", 400],
  ["chain-not-found", 404],
  ["job-not-found", 404],
  ["duplicate-id", 409],
  ["chain-not-active", 409],
  ["job-not-scheduled", 409],
  ["chain-not-retryable", 409],
  ["job-type-mismatch", 409],
  ["blocker-cycle", 409],
  ["input-unreadable", 409],
  ["too-many-signals", 409],
  ["payload-too-large", 413],
  ["store-unavailable", 503],
  ["transaction-conflict", 503],
  ["not-migrated", 503],
  ["schema-too-new", 503],
  ["closed", 503],
]);

/** These messages may name other job types of the client, or where the store is. */
const replacements: ReadonlyMap<ChainwrightErrorCode, string> = new Map([
  ["unknown-job-type", "There is no such job type."],
  ["store-unavailable", "The store is away; try again."],
  ["not-migrated", "The store is not ready yet; try again later."],
  ["schema-too-new", "The gateway is older than the store; try another one."],
  ["closed", "The gateway is stopping; try again."],
]);

/** What the body of a response says about an error. */
export interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
  readonly id?: string;
}

/** The refusal for an error; undefined if its message must not leave the server. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!isChainwrightError(error)) return undefined;
  const status = statuses.get(error.code);
  return status === undefined ? undefined : new Refusal(status, error.code, messageOf(error), detailsOf(error));
}

/** An error as a part of a response. */
export function toldError(error: ChainwrightError): ToldError {
  return { code: error.code, message: messageOf(error) };
}

function messageOf({ code, message }: ChainwrightError): string {
  return replacements.get(code) ?? message;
}

/** With the ids of starts, for which the client can look before it starts them again. */
function detailsOf({ details: { outcome, ids } }: ChainwrightError): unknown {
  if (outcome !== "unknown") return undefined;
  return ids === undefined ? { outcome } : { outcome, ids };
}
