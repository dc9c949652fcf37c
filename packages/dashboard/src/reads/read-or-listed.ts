import { isChainwrightError, type Page } from "chainwright";

/** A record by its id. One whose payloads cannot be read is read from a list, which returns the rest of it. */
export async function readOrListed<Record>(
  read: () => Promise<Record | undefined>,
  list: () => Promise<Page<Record>>,
): Promise<Record | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isChainwrightError(error, "input-unreadable")) throw error;
    return (await list()).items[0];
  }
}
