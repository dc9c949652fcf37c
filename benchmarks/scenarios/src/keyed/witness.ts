import type { Servers } from "@chainwright/bench-measuring";
import { openPool } from "@chainwright/bench-measuring/postgres";

/** Sees, with locks that no contender knows of, whether two jobs of a key run at the same time. */
export interface Witness {
  /** Runs a job. Returns whether another one of its key was running when it began. */
  watch(key: string, run: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
}

/** A lock of Postgres excludes other processes, and not the session that has it. */
export function openWitness(servers: Servers): Witness {
  const session = openPool(servers, 1);
  const here = new Set<string>();
  const take = async (key: string): Promise<boolean> => {
    if (here.has(key)) return false;
    here.add(key);
    const { rows } = await session.query<{ free: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as free",
      [key],
    );
    if (rows[0]?.free === true) return true;
    here.delete(key);
    return false;
  };
  const giveBack = async (key: string): Promise<void> => {
    await session.query("select pg_advisory_unlock(hashtextextended($1, 0))", [key]);
    here.delete(key);
  };
  return {
    async watch(key, run) {
      const isTaken = await take(key);
      try {
        await run();
      } finally {
        if (isTaken) await giveBack(key);
      }
      return !isTaken;
    },
    close: () => session.end(),
  };
}
