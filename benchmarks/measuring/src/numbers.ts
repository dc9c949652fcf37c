/** Reads a whole number off the command line; 5k and 1m are numbers too. */
export function wholeNumber(text: string, option: string): number {
  const match = /^(\d+)([km]?)$/i.exec(text.replaceAll("_", ""));
  if (match?.[1] === undefined) throw new Error(`${option} takes a whole number, such as 500, 5k or 1m, not "${text}"`);
  const unit = { k: 1_000, m: 1_000_000 }[match[2]?.toLowerCase() ?? ""] ?? 1;
  return Number(match[1]) * unit;
}

/** Several of them, between commas: a sweep. */
export function wholeNumbers(text: string, option: string): readonly number[] {
  return text.split(",").map((part) => wholeNumber(part.trim(), option));
}
