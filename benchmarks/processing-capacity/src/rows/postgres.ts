import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { postgresJs } from "@chainwright/postgres/postgres-js";
import { Pool } from "pg";
import postgres from "postgres";
import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { pgFloor } from "../floors/pg.ts";
import { postgresJsFloor } from "../floors/postgres-js.ts";
import type { Row } from "../row.ts";

const schema = "chainwright_bench";
const connections = 10;

export const postgresRows: readonly Row[] = [
  {
    name: "postgres/pg",
    needs: ["postgres"],
    async open(_settings, servers) {
      const place = placeOf(servers, "postgres");
      const pool = new Pool({ connectionString: place.url, max: connections });
      pool.on("error", () => undefined);
      await pool.query(`drop schema if exists ${schema} cascade`);
      const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
      await stateAdapter.migrate();
      return {
        stateAdapter,
        floor: await pgFloor(pool),
        serverCpu: () => cpuOf(place),
        async close() {
          await stateAdapter.close();
          await pool.end();
        },
      };
    },
  },
  {
    name: "postgres/postgres.js",
    needs: ["postgres"],
    async open(_settings, servers) {
      const place = placeOf(servers, "postgres");
      const sql = postgres(place.url, { max: connections, onnotice: () => undefined });
      await sql.unsafe(`drop schema if exists ${schema} cascade`);
      const stateAdapter = createPostgresStateAdapter({ driver: postgresJs(sql), schema });
      await stateAdapter.migrate();
      return {
        stateAdapter,
        floor: await postgresJsFloor(sql),
        serverCpu: () => cpuOf(place),
        async close() {
          await stateAdapter.close();
          await sql.end();
        },
      };
    },
  },
];
