import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { createClient } from "chainwright";
import postgres from "postgres";
import { newsletterJobTypes } from "./job-types.ts";

export const sql = postgres(process.env["POSTGRES_URL"] ?? "", { max: 5 });
const driver = postgresJs(sql);
export const stateAdapter = createPostgresStateAdapter({ driver });
const notifyAdapter = createPostgresNotifyAdapter({ driver });
export const client = createClient({ stateAdapter, notifyAdapter, jobTypes: newsletterJobTypes });

export async function close(): Promise<void> {
  await client.close();
  await notifyAdapter.close();
  await stateAdapter.close();
  await sql.end();
}
