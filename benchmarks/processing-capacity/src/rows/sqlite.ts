import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter, type SqliteDriver } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { betterSqlite3Floor } from "../floors/better-sqlite3.ts";
import type { Row } from "../row.ts";

export const sqliteRows: readonly Row[] = [
  sqliteRow("sqlite/better-sqlite3", betterSqlite3),
  sqliteRow("sqlite/node:sqlite", nodeSqlite),
];

function sqliteRow<Tx extends object>(name: string, driver: (file: string) => SqliteDriver<Tx>): Row {
  return {
    name,
    needs: [],
    async open({ durability }) {
      const folder = mkdtempSync(join(tmpdir(), "chainwright-bench-"));
      const stateAdapter = createSqliteStateAdapter({ driver: driver(join(folder, "jobs.db")), durability });
      await stateAdapter.migrate();
      const floor = betterSqlite3Floor(join(folder, "floor.db"), durability);
      return {
        stateAdapter,
        floor,
        serverCpu: () => undefined,
        async close() {
          floor.close();
          await stateAdapter.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}
