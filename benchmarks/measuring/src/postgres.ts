import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";
import { placeOf, type Servers } from "./servers.ts";

/** A process of a service keeps its connections: none is opened again because a measurement paused. */
export const keptConnections = { max: 10, idleTimeoutMillis: 0 };

export function openPool(servers: Servers, max: number = keptConnections.max): Pool {
  const pool = new Pool({ connectionString: placeOf(servers, "postgres").url, ...keptConnections, max });
  pool.on("error", () => undefined);
  return pool;
}

/** Creates a store of Chainwright in this schema, empty. */
export async function createSchema(servers: Servers, schema: string): Promise<void> {
  await dropSchema(servers, schema);
  const pool = openPool(servers);
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await stateAdapter.migrate();
  await stateAdapter.close();
  await pool.end();
}

export async function dropSchema(servers: Servers, schema: string): Promise<void> {
  const pool = openPool(servers);
  await pool.query(`drop schema if exists ${schema} cascade`);
  await pool.end();
}
