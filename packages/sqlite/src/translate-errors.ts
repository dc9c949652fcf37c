import { ChainwrightError, isChainwrightError } from "chainwright";
import { translate } from "./errors.ts";

/** Runs it; what SQLite throws is thrown on as the port's error. */
export function translating<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translate(error);
  }
}

/** The same for opening a database, where the libraries have errors of their own. */
export function opening<T>(open: () => T): T {
  try {
    return translating(open);
  } catch (error) {
    if (isChainwrightError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ChainwrightError("store-unavailable", `the database cannot be opened: ${why}`, { cause: error });
  }
}
