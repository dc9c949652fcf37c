import type { DashboardOptions, Redactable } from "./options.ts";

/** Shows values as the application's `redact` wants them seen. */
export type Redaction = (value: unknown, where: Redactable) => unknown;

/** What stands in the place of a value that could not be redacted: nothing is shown rather than too much. */
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
