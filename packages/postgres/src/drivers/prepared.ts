import { sqlStateOf } from "../errors.ts";

/** Decides whether statements are prepared: as long as that works. */
export interface Preparing {
  readonly wanted: boolean;
  /** Runs a call. If its prepared statement is missing, runs `again` unprepared; undefined: the call cannot be repeated. */
  guard<T>(run: () => Promise<T>, again: (() => Promise<T>) | undefined): Promise<T>;
}

/**
 * A pooler in transaction mode gives each transaction another connection of the server, where a prepared statement may be
 * missing, or exist already. The call has not run then, and from that moment on statements are sent unprepared.
 */
export function createPreparing(wanted: boolean): Preparing {
  let works = wanted;
  return {
    get wanted() {
      return works;
    },
    guard: async (run, again) => {
      const prepared = works;
      try {
        return await run();
      } catch (error) {
        const state = sqlStateOf(error);
        if (!prepared || (state !== "26000" && state !== "42P05")) throw error;
        works = false;
        if (again === undefined) throw error;
        return again();
      }
    },
  };
}
