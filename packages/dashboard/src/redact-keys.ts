import type { Redact } from "./options.ts";

const placeholder = "[redacted]";

/**
 * Returns a `redact` that hides the values of the given keys, at any depth of a payload, and of tags. Texts of errors are unchanged.
 *
 * @param keys names, compared case-insensitively, or patterns
 * @example
 * createDashboard({ client, authorize, redact: redactKeys(["password", /token$/i]) });
 */
export function redactKeys(keys: readonly (string | RegExp)[]): Redact {
  const names = new Set(keys.filter((key) => typeof key === "string").map((key) => key.toLowerCase()));
  const patterns = keys.filter((key) => key instanceof RegExp);
  const isHidden = (key: string): boolean =>
    // `search` starts at the beginning, even with the flags `g` and `y`.
    names.has(key.toLowerCase()) || patterns.some((pattern) => key.search(pattern) >= 0);
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, isHidden(key) ? placeholder : hide(inner)]),
    );
  };
  return (value, { part }) => (part === "input" || part === "output" || part === "tags" ? hide(value) : value);
}
