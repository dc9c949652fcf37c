import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, type AnyClient } from "chainwright";
import { Pool } from "pg";
import { jobTypes } from "./job-types.ts";

/** A client, and what closes it and its store. */
export interface OpenClient {
  readonly client: AnyClient;
  close(): Promise<void>;
}

/** A client on a Postgres database, by its URL, or on a SQLite file. */
export async function openClient(store: string): Promise<OpenClient> {
  return await (store.startsWith("postgres") ? onPostgres(store) : onSqlite(store));
}

async function onPostgres(connectionString: string): Promise<OpenClient> {
  const pool = new Pool({ connectionString });
  // Without a listener an error of an idle connection ends the process.
  pool.on("error", (error) => console.error(error.message));
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes });
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
    await pool.end();
  };
  return { client, close };
}

async function onSqlite(file: string): Promise<OpenClient> {
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(file) });
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes });
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
  };
  return { client, close };
}
