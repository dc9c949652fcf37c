import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";

/** Why a request is answered with an error that the browser may read. */
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

/** What Chainwright refuses with, in sentences that name ids and types alone. Every other error's text stays in the log. */
const toldOutside: ReadonlyMap<ChainwrightErrorCode, number> = new Map([
  ["invalid-input", 400],
  ["payload-too-large", 413],
  ["payload-not-serializable", 400],
  ["unknown-job-type", 400],
  ["chain-not-found", 404],
  ["job-not-found", 404],
  ["job-type-mismatch", 409],
  ["chain-not-active", 409],
  ["job-not-scheduled", 409],
  ["chain-not-retryable", 409],
  ["chain-referenced", 409],
  ["blocker-cycle", 409],
]);

/** The refusal that an error stands for; undefined: it is nobody's business outside. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!isChainwrightError(error)) return undefined;
  const status = toldOutside.get(error.code);
  return status === undefined ? undefined : new Refusal(status, error.code, error.message);
}
