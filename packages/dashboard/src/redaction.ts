import type { DashboardOptions, Redactable } from "./options.ts";

/** Applies the application's `redact`. */
export type Redaction = (value: unknown, where: Redactable) => unknown;

/** Shown instead of a value that could not be redacted. */
const hidden = "[hidden: redact failed]";

export function createRedaction(redact: DashboardOptions["redact"], onFailure: (error: unknown) => void): Redaction {
  if (redact === undefined) return (value) => value;
  return (value, where) => {
    try {
      return redact(structuredClone(value), where);
    } catch (error) {
      onFailure(error);
      return hidden;
    }
  };
}
