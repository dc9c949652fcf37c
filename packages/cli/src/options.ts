import { readInteger } from "./text/numbers.ts";

/* Options that several commands have. */

export const dryRunFlag = ["--dry-run", "say what would be done, and change nothing"] as const;
export const yesFlag = ["--yes", "do not ask"] as const;
export const payloadsFlag = ["--payloads", "print inputs, outputs and other payloads"] as const;
export const redactFlag = [
  "--redact <keys>",
  "hide the values of these keys in payloads, separated by commas",
] as const;

/** Collects the values of an option that may be repeated or separated by commas. */
export function listed(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), ...text.split(",").filter((each) => each !== "")];
}

/** Collects the values of an option that may be repeated. */
export function repeated(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** Reads the whole number of an option. */
export function integer(option: string, min: number, max: number): (text: string) => number {
  return (text) => readInteger(text, option, { min, max });
}
