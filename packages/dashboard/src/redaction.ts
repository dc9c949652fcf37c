import type { DashboardOptions, Principal, Redactable } from "./options.ts";

/** What a value is, for each reader. */
export type Shown = Omit<Redactable, "principal">;

/** Applies the application's `redact` for one reader. */
export type Redaction = (value: unknown, where: Shown) => unknown;

/** Shown instead of a value that could not be redacted. */
const hidden = "[hidden: redact failed]";

/** Returns the redaction for each reader. */
export function createRedactions(
  redact: DashboardOptions["redact"],
  onFailure: (error: unknown) => void,
): (principal: Principal) => Redaction {
  if (redact === undefined) return () => (value) => value;
  return (principal) => (value, where) => {
    try {
      return redact(structuredClone(value), { ...where, principal });
    } catch (error) {
      onFailure(error);
      return hidden;
    }
  };
}
