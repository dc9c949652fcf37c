import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter, type SqliteDriver } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import type { Row } from "../row.ts";

export const sqliteRows: readonly Row[] = [
  sqliteRow("sqlite/better-sqlite3", betterSqlite3),
  sqliteRow("sqlite/node:sqlite", nodeSqlite),
];

function sqliteRow<Tx extends object>(name: string, driver: (file: string) => SqliteDriver<Tx>): Row {
  return {
    name,
    needs: [],
    keepsState: true,
    async prepare() {
      const folder = mkdtempSync(join(tmpdir(), "chainwright-bench-"));
      return {
        async build() {
          const stateAdapter = createSqliteStateAdapter({
            driver: driver(join(folder, "jobs.db")),
            durability: "normal",
          });
          await stateAdapter.migrate();
          return { stateAdapter };
        },
        close: async () => rmSync(folder, { recursive: true }),
      };
    },
  };
}
