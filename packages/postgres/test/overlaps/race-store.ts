import type { StateAdapter } from "chainwright";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll } from "vitest";
import { pg } from "../../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../../src/index.ts";
import { openGates, type Gates } from "./gates.ts";

/** A store in a schema of its own, on which one adapter's calls are stopped while another one makes its own. */
interface RaceStore {
  readonly pool: Pool;
  readonly gates: Gates;
  readonly stopped: StateAdapter<PoolClient>;
  readonly other: StateAdapter<PoolClient>;
  /** Deletes all rows of these tables. */
  empty(tables: readonly string[]): Promise<void>;
}

/** Opens such a store for the tests of a suite, in a schema that it creates and drops. It is there during tests only. */
export function openRaceStore(url: string | undefined, schema: string): () => RaceStore {
  let opened: RaceStore | undefined;
  beforeAll(async () => {
    const pool = new Pool({ connectionString: url, max: 4 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    const gates = await openGates(url ?? "", schema);
    // A race may end the session that it stops.
    gates.stopped.on("error", () => undefined);
    opened = {
      pool,
      gates,
      stopped: createPostgresStateAdapter({ driver: pg(gates.stopped), schema }),
      other: createPostgresStateAdapter({ driver: pg(gates.others), schema }),
      empty: async (tables) => {
        await pool.query(tables.map((table) => `delete from "${schema}".${table}`).join("; "));
      },
    };
  });
  afterAll(async () => {
    await opened?.gates.close();
    await opened?.pool.query(`drop schema "${schema}" cascade`);
    await opened?.pool.end();
  });
  return () => {
    if (opened === undefined) throw new Error("the store is open during tests only");
    return opened;
  };
}
