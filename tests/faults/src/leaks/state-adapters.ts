import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pglite } from "@chainwright/postgres/pglite";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { PGlite } from "@electric-sql/pglite";
import { createInProcessStateAdapter, type StateAdapter } from "chainwright";
import { openDriver } from "../store/sqlite-handle.ts";
import type { SqlitePlace } from "../store/open-store.ts";

/** A state adapter with what was opened for it. */
export interface OpenState {
  readonly stateAdapter: StateAdapter;
  close(): Promise<void>;
}

export async function openInProcess(): Promise<OpenState> {
  const stateAdapter = createInProcessStateAdapter();
  return { stateAdapter, close: () => stateAdapter.close() };
}

export async function openSqlite(path: string, library: SqlitePlace["library"]): Promise<OpenState> {
  const stateAdapter = createSqliteStateAdapter({ driver: openDriver(path, library), durability: "off" });
  await stateAdapter.migrate();
  return { stateAdapter, close: () => stateAdapter.close() };
}

export async function openPGlite(): Promise<OpenState> {
  const database = await PGlite.create();
  const stateAdapter = createPostgresStateAdapter({ driver: pglite(database) });
  await stateAdapter.migrate();
  return {
    stateAdapter,
    close: async () => {
      await stateAdapter.close();
      await database.close();
    },
  };
}
