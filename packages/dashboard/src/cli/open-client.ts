import { existsSync } from "node:fs";
import { createClient, defineJobTypes, type AnyClient, type StateAdapter } from "chainwright";
import type { StoreArguments } from "./arguments.ts";

/** A client of a store; `close` closes both. */
export interface OpenedClient {
  readonly client: AnyClient;
  close(): Promise<void>;
}

/** Opens an existing store: creates and migrates nothing. */
export async function openClient(store: StoreArguments): Promise<OpenedClient> {
  return store.kind === "sqlite" ? await openSqlite(store) : await openPostgres(store);
}

async function openSqlite({ file, tablePrefix }: Extract<StoreArguments, { kind: "sqlite" }>): Promise<OpenedClient> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const { createSqliteStateAdapter } = await import("@chainwright/sqlite");
  const { nodeSqlite } = await import("@chainwright/sqlite/node-sqlite");
  return await opened(createSqliteStateAdapter({ driver: nodeSqlite(file), tablePrefix }), async () => undefined);
}

async function openPostgres({ url, schema }: Extract<StoreArguments, { kind: "postgres" }>): Promise<OpenedClient> {
  const { Pool } = await import("pg");
  const { createPostgresStateAdapter } = await import("@chainwright/postgres");
  const { pg } = await import("@chainwright/postgres/pg");
  const pool = new Pool({ connectionString: url, max: 4 });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  return await opened(createPostgresStateAdapter({ driver: pg(pool), schema }), async () => await pool.end());
}

/** A client needs one job type at least. */
interface AnyTypes {
  readonly any: { readonly entry: true; readonly input: null; readonly output: null };
}

async function opened<Tx>(stateAdapter: StateAdapter<Tx>, closeDriver: () => Promise<void>): Promise<OpenedClient> {
  // The application's job types are unknown here: at run time this definition accepts every type name.
  // It runs no jobs: what others run fails in their processes, and is shown on the pages.
  const client = createClient({ stateAdapter, jobTypes: defineJobTypes<AnyTypes>(), observers: [] });
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
    await closeDriver();
  };
  try {
    await client.countJobs();
  } catch (error) {
    await close();
    throw error;
  }
  return { client, close };
}
