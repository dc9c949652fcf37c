import { ChainwrightError } from "chainwright";

/** Something in a folder is not what a journal has written there. */
export function damaged(file: string, at: number, why: string): ChainwrightError {
  return new ChainwrightError(
    "journal-damaged",
    `${file} is damaged at byte ${at}: ${why}. Nothing was changed. Restore the folder from a backup, or write what is readable to ` +
      `a new folder with dumpJournal({ folder, to, salvage: true }).`,
    { details: { file, at } },
  );
}

export function unavailable(
  message: string,
  cause?: unknown,
  details: Readonly<Record<string, unknown>> = {},
): ChainwrightError {
  return new ChainwrightError("store-unavailable", message, { ...(cause === undefined ? {} : { cause }), details });
}
