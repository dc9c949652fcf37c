import { UsageError } from "../usage-error.ts";

/** Reads a whole number of an option. */
export function readInteger(
  text: string,
  option: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${option} must be an integer from ${min} to ${max}; got ${text}`);
}

/** A number with its noun: "1 chain", "1,204 chains". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
