import type { PostgresDriver, PostgresNotifyDriver } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { Pool } from "pg";
import postgres from "postgres";
import type { FaultTx, StorePlace } from "./open-store.ts";

export type PostgresPlace = StorePlace & { readonly kind: "postgres" };

/** A client library as an application has it, and the driver made of it. */
export interface PostgresClient {
  readonly driver: PostgresDriver<FaultTx> & PostgresNotifyDriver<FaultTx>;
  readonly end: () => Promise<void>;
}

export function connectToPostgres(place: Pick<PostgresPlace, "url" | "poolSize" | "library">): PostgresClient {
  return place.library === "pg" ? connectWithPg(place) : connectWithPostgresJs(place);
}

type To = Pick<PostgresPlace, "url" | "poolSize">;

function connectWithPg({ url, poolSize }: To): PostgresClient {
  const pool = new Pool({ connectionString: url, max: poolSize, connectionTimeoutMillis: 5_000 });
  return { driver: pg(pool) as unknown as PostgresClient["driver"], end: () => pool.end() };
}

function connectWithPostgresJs({ url, poolSize }: To): PostgresClient {
  const sql = postgres(url, { max: poolSize, connect_timeout: 5, fetch_types: false, onnotice: () => undefined });
  // A connection that was cut in a transaction never tells that it has ended, and by now nobody waits for an answer.
  return { driver: postgresJs(sql) as unknown as PostgresClient["driver"], end: () => sql.end({ timeout: 0 }) };
}
