import { ChainwrightError } from "../model/error.ts";
import type { UnreadableReason } from "../model/event.ts";

/** How long a job waits whose stored input cannot be read: a deployment may make it readable. */
export const unreadableRetryMs = 60_000;

/** A stored value: the input of a job or chain, the output with which a job of this type ended, the payload of a signal for it, or its checkpoint. */
export interface StoredValue {
  readonly payload: "input" | "output" | "signal" | "checkpoint";
  readonly typeName: string;
  /** The version in which it is stored. */
  readonly version: number;
}

/** Why a stored value cannot be read. `newest`: the newest version that this code knows. */
export type Unreadable =
  | { readonly why: "newer-version"; readonly newest: number }
  | { readonly why: "upcaster"; readonly to: number; readonly cause: unknown }
  | { readonly why: "schema"; readonly issues: readonly string[] }
  | { readonly why: "schema-threw"; readonly cause: unknown }
  | { readonly why: "store"; readonly cause: unknown };

/**
 * A stored input, or the output of a blocker, that this code cannot read. A class, because a handler may throw the same code.
 */
export class UnreadableInput extends ChainwrightError {
  readonly stored: StoredValue;
  readonly why: UnreadableReason;
  readonly issues: readonly string[];
  /** The first sentence of the message, without its full stop. */
  readonly reason: string;

  constructor(stored: StoredValue, reason: Unreadable) {
    const { typeName, payload, version } = stored;
    const first = sentence(stored, reason);
    super(
      "input-unreadable",
      `${first}. A worker does not call the handler: it tries the job again every ${unreadableRetryMs / 1_000} s and ` +
        `no attempt is used up. Deploy code that reads this ${payload}, or cancel the chain.`,
      {
        ...("cause" in reason && { cause: reason.cause }),
        details: {
          typeName,
          payload,
          version,
          why: reason.why,
          ...("newest" in reason && { newest: reason.newest }),
          ...("issues" in reason && { issues: reason.issues }),
        },
      },
    );
    this.stored = stored;
    this.why = reason.why;
    this.issues = reason.why === "schema" ? reason.issues : [];
    this.reason = first;
  }
}

function sentence({ typeName, payload, version }: StoredValue, reason: Unreadable): string {
  const what = `the stored ${payload} of "${typeName}"`;
  switch (reason.why) {
    case "newer-version":
      return `${what} is of version ${version}, and this code knows versions up to ${reason.newest}`;
    case "upcaster":
      return `${what} is of version ${version}, and what makes version ${reason.to} of it threw an error`;
    case "schema":
      return `${what} does not fit its schema: ${reason.issues.join("; ")}`;
    case "schema-threw":
      return `the schema of "${typeName}" threw an error when it read the stored ${payload}`;
    case "store":
      return `the store did not return which job type wrote the ${payload} of a chain of "${typeName}"`;
  }
}
