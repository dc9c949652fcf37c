import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import type { StateAdapter } from "chainwright";
import { Pool, type PoolClient } from "pg";
import type { RollingStore, RollingTx } from "./rolling-store.ts";

export function openPostgres(url: string, connections: number): RollingStore {
  const pool = new Pool({ connectionString: url, max: connections });
  const driver = pg(pool);
  const stateAdapter = createPostgresStateAdapter({ driver });
  return {
    stateAdapter: stateAdapter as unknown as StateAdapter<RollingTx>,
    notifyAdapter: createPostgresNotifyAdapter({ driver }),
    record: async (tx, { jobId, chainId, attempt, asked, release, wrong }) => {
      await (tx as unknown as PoolClient).query(
        `insert into rolling_effect (job_id, chain_id, attempt, asked, release, wrong) values ($1, $2, $3, $4, $5, $6)`,
        [jobId, chainId, attempt, asked, release, wrong],
      );
    },
    close: async () => {
      await stateAdapter.close();
      await pool.end();
    },
  };
}
