import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BackendName } from "@chainwright/backends";
import { cpuOf, placeOf, type ServerCpu, type Servers } from "@chainwright/bench-measuring";
import { createSchema, dropSchema, openPool } from "@chainwright/bench-measuring/postgres";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { createInProcessStateAdapter, type NotifyAdapter, type StateAdapter } from "chainwright";

/** A store that processes can share, except the one in the process. */
export interface Store {
  readonly name: string;
  readonly needs: readonly BackendName[];
  /** Creates it, empty. Returns its place: a schema or a folder. */
  create(servers: Servers): Promise<string>;
  join(servers: Servers, place: string): Promise<OpenStore>;
  remove(servers: Servers, place: string): Promise<void>;
}

export interface OpenStore {
  readonly adapters: { readonly stateAdapter: StateAdapter; readonly notifyAdapter?: NotifyAdapter };
  readonly serverCpu: ServerCpu;
  close(): Promise<void>;
}

const schema = "chainwright_scenarios";

const inProcess: Store = {
  name: "in-process",
  needs: [],
  create: async () => "",
  async join() {
    const stateAdapter = createInProcessStateAdapter();
    return { adapters: { stateAdapter }, serverCpu: () => undefined, close: () => stateAdapter.close() };
  },
  remove: async () => undefined,
};

const sqlite: Store = {
  name: "sqlite",
  needs: [],
  async create() {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-scenarios-"));
    const stateAdapter = openSqlite(folder);
    await stateAdapter.migrate();
    await stateAdapter.close();
    return folder;
  },
  async join(_servers, folder) {
    const stateAdapter = openSqlite(folder);
    return { adapters: { stateAdapter }, serverCpu: () => undefined, close: () => stateAdapter.close() };
  },
  remove: async (_servers, folder) => rmSync(folder, { recursive: true }),
};

/** With its notify adapter, as most services run. */
const postgres: Store = {
  name: "postgres",
  needs: ["postgres"],
  async create(servers) {
    await createSchema(servers, schema);
    return schema;
  },
  async join(servers, place) {
    const pool = openPool(servers, 11);
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema: place });
    const notifyAdapter = createPostgresNotifyAdapter({ driver: pg(pool) });
    return {
      adapters: { stateAdapter, notifyAdapter },
      serverCpu: () => cpuOf(placeOf(servers, "postgres")),
      async close() {
        await notifyAdapter.close();
        await stateAdapter.close();
        await pool.end();
      },
    };
  },
  remove: dropSchema,
};

export const stores: readonly Store[] = [inProcess, sqlite, postgres];

/** The store that the name of a row begins with. */
export function storeOf(row: string): Store {
  const store = stores.find(({ name }) => row === name || row.startsWith(`${name}, `));
  if (store === undefined) throw new Error(`the row "${row}" begins with no name of a store`);
  return store;
}

/** Opens the store of a row, empty, and removes it after the work. */
export async function onStore<T>(
  row: string,
  servers: Servers,
  work: (open: OpenStore, place: string) => Promise<T>,
): Promise<T> {
  const store = storeOf(row);
  const place = await store.create(servers);
  const open = await store.join(servers, place);
  try {
    return await work(open, place);
  } finally {
    await open.close();
    await store.remove(servers, place);
  }
}

function openSqlite(folder: string) {
  return createSqliteStateAdapter({ driver: betterSqlite3(join(folder, "jobs.db")), durability: "normal" });
}
