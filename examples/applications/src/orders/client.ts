import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { drizzleDriver } from "@chainwright/postgres/drizzle";
import { createClient } from "chainwright";
import { db, pool } from "./database.ts";
import { orderJobTypes } from "./job-types.ts";

const driver = drizzleDriver(db);
export const stateAdapter = createPostgresStateAdapter({ driver });
const notifyAdapter = createPostgresNotifyAdapter({ driver });
export const client = createClient({ stateAdapter, notifyAdapter, jobTypes: orderJobTypes });

export async function close(): Promise<void> {
  await client.close();
  await notifyAdapter.close();
  await stateAdapter.close();
  await pool.end();
}
