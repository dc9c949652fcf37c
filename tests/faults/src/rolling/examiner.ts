import Database from "better-sqlite3";
import { Pool } from "pg";
import { postgresTables, sqliteTables } from "./oracle-tables.ts";
import type { RollingPlace } from "./release/place.ts";

/** Reads and prepares the store behind the library's back. */
export interface Examiner {
  readonly rows: <Row extends object>(sql: string) => Promise<readonly Row[]>;
  /** Creates the tables, triggers and views of the oracle. */
  readonly prepare: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function examine(place: RollingPlace): Examiner {
  if (place.kind === "postgres") {
    const pool = new Pool({ connectionString: place.url, max: 2 });
    // The server may stop while idle connections are closing; an "error" that no one listens to ends the process.
    pool.on("error", () => undefined);
    return {
      rows: async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows,
      prepare: async () => void (await pool.query(postgresTables)),
      close: () => pool.end(),
    };
  }
  const database = new Database(place.path, { timeout: 10_000 });
  return {
    rows: async <Row extends object>(sql: string) => database.prepare<[], Row>(sql).all(),
    prepare: async () => void database.exec(sqliteTables),
    close: async () => void database.close(),
  };
}
