import { Client } from "pg";
import type { Bystander, Hold, SqlitePlace } from "./open-store.ts";
import type { PostgresPlace } from "./postgres-client.ts";
import { openHandle } from "./sqlite-handle.ts";

export async function standByPostgres({ url, schema }: PostgresPlace): Promise<Bystander> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  const statements: Readonly<Record<Hold, string>> = {
    snapshot: `begin isolation level repeatable read; select count(*) from ${schema}.job`,
    rows: `begin; select 1 from ${schema}.job where chain_status = 0 limit 50 for update`,
    table: `begin; set local lock_timeout = '2s'; lock table ${schema}.job in access exclusive mode`,
  };
  return {
    hold: async (what) => void (await client.query(statements[what])),
    letGo: () => client.end(),
  };
}

/** All of its writers wait for each other, so an open write transaction replaces locked rows and tables. */
export function standBySqlite(place: SqlitePlace): Bystander {
  const database = openHandle(place, 1_000);
  const statements: Readonly<Record<Hold, string>> = {
    snapshot: "begin; select count(*) from fault_job",
    rows: "begin immediate",
    table: "begin exclusive",
  };
  return {
    hold: async (what) => database.exec(statements[what]),
    letGo: async () => database.close(),
  };
}
