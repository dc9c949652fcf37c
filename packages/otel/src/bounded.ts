import { other } from "./conventions.ts";

/**
 * Lets the first so many values through and makes all others one: an attribute of a metric costs a time series for each value
 * it takes, for ever.
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
