import { ChainwrightError, isChainwrightError } from "chainwright";
import { translate } from "./errors.ts";

/** Runs a call; errors of SQLite are rethrown as the port's errors. */
export function translating<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translate(error);
  }
}

/** The same for opening a database, for which the libraries have their own errors. */
export function opening<T>(open: () => T): T {
  try {
    return translating(open);
  } catch (error) {
    if (isChainwrightError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ChainwrightError("store-unavailable", `the database cannot be opened: ${why}`, { cause: error });
  }
}
