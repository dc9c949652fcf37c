import type { PostgresDriver, PostgresNotifyDriver } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { Pool } from "pg";
import postgres from "postgres";
import type { FaultTx, OpenStore, StorePlace } from "./open-store.ts";

export type PostgresPlace = StorePlace & { readonly kind: "postgres" };

/** A client of a library, as in an application, and the driver created from it. */
export interface PostgresClient extends Pick<OpenStore, "begin" | "taken"> {
  readonly driver: PostgresDriver<FaultTx> & PostgresNotifyDriver<FaultTx>;
  readonly end: () => Promise<void>;
}

type To = Pick<PostgresPlace, "url" | "poolSize" | "library">;

export function connectToPostgres(place: To): PostgresClient {
  return place.library === "pg" ? connectWithPg(place) : connectWithPostgresJs(place);
}

/** The names of the sessions of the attack's processes, each with the id of its process. */
export const sessionPrefix = "fault-";
/** The name of the sessions that PgBouncer keeps; any process may use them. */
export const bouncedName = `${sessionPrefix}bounced`;
const sessionName = `${sessionPrefix}${process.pid}`;

function connectWithPg({ url, poolSize }: To): PostgresClient {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    application_name: sessionName,
  });
  return {
    driver: pg(pool) as unknown as PostgresClient["driver"],
    begin: async () => {
      const client = await pool.connect();
      await client.query("begin");
      let isOver = false;
      const end = async (statement: "commit" | "rollback"): Promise<void> => {
        if (isOver) return;
        isOver = true;
        try {
          await client.query(statement);
          client.release();
        } catch (error) {
          client.release(true);
          throw error;
        }
      };
      return {
        tx: client as unknown as FaultTx,
        commit: () => end("commit"),
        rollback: () => end("rollback"),
      };
    },
    taken: () => pool.totalCount - pool.idleCount,
    end: () => pool.end(),
  };
}

function connectWithPostgresJs({ url, poolSize }: To): PostgresClient {
  const sql = postgres(url, {
    max: poolSize,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: sessionName },
  });
  return {
    driver: postgresJs(sql) as unknown as PostgresClient["driver"],
    begin: undefined,
    taken: () => undefined,
    // A connection that was cut in a transaction never reports its end, and no one waits for a reply any more.
    end: () => sql.end({ timeout: 0 }),
  };
}
