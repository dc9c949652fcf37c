import { other } from "./conventions.ts";

/**
 * Keeps the first `mostValues` distinct values and replaces all others by one, because each value of a metric's attribute costs a
 * time series forever.
 *
 * @example
 * const errorType = createBounded(2);
 * ["a", "b", "c", "a"].map(errorType); // ["a", "b", "_OTHER", "a"]
 */
export function createBounded(mostValues: number): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= mostValues) return other;
    seen.add(value);
    return value;
  };
}
