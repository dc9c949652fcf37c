import { placeOf, type Servers } from "@chainwright/bench-measuring";
import { Pool } from "pg";

/** A process of a service keeps its connections: none is opened again because a measurement paused. */
export const keptConnections = { max: 10, idleTimeoutMillis: 0 };

export function openPool(servers: Servers): Pool {
  const pool = new Pool({ connectionString: placeOf(servers, "postgres").url, ...keptConnections });
  pool.on("error", () => undefined);
  return pool;
}

export async function dropSchema(servers: Servers, schema: string): Promise<void> {
  const pool = openPool(servers);
  await pool.query(`drop schema if exists ${schema} cascade`);
  await pool.end();
}
