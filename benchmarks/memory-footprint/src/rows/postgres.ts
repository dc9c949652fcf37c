import { placeOf } from "@chainwright/bench-measuring";
import { createInProcessStateAdapter } from "chainwright";
import {
  createPostgresNotifyAdapter,
  createPostgresStateAdapter,
  type PostgresDriver,
  type PostgresNotifyDriver,
} from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { Pool } from "pg";
import postgres from "postgres";
import type { Prepared, Row } from "../row.ts";

const schema = "chainwright_memory";
const connections = 10;

/** A connected pool of either client, made into a driver as often as adapters are built. */
interface Connected<Tx extends object> {
  driver(): PostgresDriver<Tx> & PostgresNotifyDriver;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

const viaPg = async (url: string) => {
  const pool = new Pool({ connectionString: url, max: connections });
  pool.on("error", () => undefined);
  return { driver: () => pg(pool), query: (text: string) => pool.query(text), end: () => pool.end() };
};

const viaPostgresJs = async (url: string) => {
  const sql = postgres(url, { max: connections, onnotice: () => undefined });
  return { driver: () => postgresJs(sql), query: (text: string) => sql.unsafe(text), end: () => sql.end() };
};

export const postgresRows: readonly Row[] = [
  stateRow("postgres/pg", viaPg),
  stateRow("postgres/postgres.js", viaPostgresJs),
  stateRow("postgres/pg + postgres notify", viaPg, "with notify"),
  stateRow("postgres/postgres.js + postgres notify", viaPostgresJs, "with notify"),
  notifyRow("notify postgres/pg", viaPg),
  notifyRow("notify postgres/postgres.js", viaPostgresJs),
];

function stateRow<Tx extends object>(
  name: string,
  connect: (url: string) => Promise<Connected<Tx>>,
  hints: "with notify" | "in the process" = "in the process",
): Row {
  return {
    name,
    needs: ["postgres"],
    keepsState: true,
    async prepare(servers): Promise<Prepared> {
      const connected = await connect(placeOf(servers, "postgres").url);
      await connected.query(`drop schema if exists ${schema} cascade`);
      await openAll(connected);
      return {
        async build() {
          const driver = connected.driver();
          const stateAdapter = createPostgresStateAdapter({ driver, schema });
          await stateAdapter.migrate();
          return hints === "with notify"
            ? { stateAdapter, notifyAdapter: createPostgresNotifyAdapter({ driver }) }
            : { stateAdapter };
        },
        close: () => connected.end(),
      };
    },
  };
}

function notifyRow<Tx extends object>(name: string, connect: (url: string) => Promise<Connected<Tx>>): Row {
  return {
    name,
    needs: ["postgres"],
    keepsState: false,
    async prepare(servers): Promise<Prepared> {
      const connected = await connect(placeOf(servers, "postgres").url);
      await openAll(connected);
      const driver = connected.driver();
      return {
        build: async () => ({
          stateAdapter: createInProcessStateAdapter(),
          notifyAdapter: createPostgresNotifyAdapter({ driver }),
        }),
        close: () => connected.end(),
      };
    },
  };
}

/** Connections are the application's: all are there before anything is weighed. */
async function openAll(connected: { query(text: string): Promise<unknown> }): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => connected.query("select pg_sleep(0.05)")));
}
