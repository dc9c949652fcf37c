import { ChainwrightError } from "../model/error.ts";

/** How long a job waits whose stored input cannot be read: a deployment may make it readable. */
export const unreadableRetryMs = 60_000;

/** The stored input of a job does not fit the schema that its type has now. A class, because a handler may throw the same code. */
export class UnreadableInput extends ChainwrightError {
  constructor(typeName: string, reason: { readonly issues: readonly string[] } | { readonly cause: unknown }) {
    const what = `the stored input of "${typeName}"`;
    const why =
      "issues" in reason
        ? `${what} does not fit its schema: ${reason.issues.join("; ")}`
        : `the schema of "${typeName}" threw an error when it read the stored input`;
    super(
      "input-unreadable",
      `${why}. The handler was not called. The job is tried again every ${unreadableRetryMs / 1_000} s and no attempt is used up: ` +
        "deploy a schema that accepts this input, or cancel the chain.",
      { ...("cause" in reason && { cause: reason.cause }), details: { typeName, ...("issues" in reason && reason) } },
    );
  }
}
