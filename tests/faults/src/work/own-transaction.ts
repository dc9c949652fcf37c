import { isChainwrightError } from "chainwright";
import type { OwnTransaction } from "../store/open-store.ts";

/** An error in a transaction of the application. It has no code, because the library did not send all statements. */
export class OwnError extends Error {
  override readonly name = "OwnError";
}

/** Runs in a transaction that the application opens by itself; `run` ends it, unless it fails. */
export async function inOwnTransaction<T>(
  begin: () => Promise<OwnTransaction>,
  run: (own: OwnTransaction) => Promise<T>,
): Promise<T> {
  const attempt = async (): Promise<T> => {
    const own = await begin();
    return await run(own).catch(async (error: unknown) => {
      await own.rollback();
      throw error;
    });
  };
  return orOwnError(attempt());
}

/** The application handles errors inside a transaction's callback. */
export async function orOwnError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isChainwrightError(error) ? error : new OwnError("a transaction failed", { cause: error });
  }
}
