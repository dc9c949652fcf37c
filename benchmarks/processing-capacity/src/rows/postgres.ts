import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";
import { cpuOf, placeOf } from "@chainwright/bench-measuring";
import { pgFloor } from "../floors/pg.ts";
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
];
