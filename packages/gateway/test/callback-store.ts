import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { Pool } from "pg";
import type { TestStore } from "./stores.ts";

/** A store that several processes open. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string };

/** Opens a store in this process. */
export function openStore(place: StorePlace): TestStore {
  if (place.kind === "sqlite") {
    const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(place.file) });
    return { stateAdapter, close: stateAdapter.close };
  }
  const pool = new Pool({ connectionString: place.url, max: 4 });
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema: place.schema });
  return {
    stateAdapter,
    async close() {
      await stateAdapter.close();
      await pool.end();
    },
  };
}
