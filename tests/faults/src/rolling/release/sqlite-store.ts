import { createSqliteNotifyAdapter, createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import type Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { RollingStore, RollingTx } from "./rolling-store.ts";

export function openSqlite(path: string): RollingStore {
  const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(path) });
  return {
    stateAdapter: stateAdapter as unknown as StateAdapter<RollingTx>,
    notifyAdapter: createSqliteNotifyAdapter({ driver: betterSqlite3(`${path}-hints`) }),
    record: async (tx, { jobId, chainId, attempt, asked, release, wrong }) => {
      (tx as unknown as Database.Database)
        .prepare(
          "insert into rolling_effect (job_id, chain_id, attempt, asked, release, wrong) values (?, ?, ?, ?, ?, ?)",
        )
        .run(jobId, chainId, attempt, asked, release, wrong);
    },
    close: () => stateAdapter.close(),
  };
}
