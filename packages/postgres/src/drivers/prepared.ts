import { sqlStateOf } from "../errors.ts";

/** Whether statements are prepared, as long as that works. */
export interface Preparing {
  readonly wanted: boolean;
  /** Runs once more, without, what found its prepared statement gone; `again` undefined: it cannot be run again. */
  guard<T>(run: () => Promise<T>, again: (() => Promise<T>) | undefined): Promise<T>;
}

/**
 * Behind a pooler that hands a server's connection from one transaction to the next, a statement that was prepared may be
 * missing, or be there already. Nothing has run then: from that moment on statements are sent unprepared.
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
