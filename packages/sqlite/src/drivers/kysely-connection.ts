import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { SqliteValue } from "../driver.ts";
import type { SqliteClient } from "../orms/client.ts";

/** A statement of better-sqlite3 or libsql has `reader`, one of node:sqlite has `columns`. */
interface Statement {
  readonly reader?: boolean;
  columns?(): readonly unknown[];
  all(...parameters: SqliteValue[]): unknown[];
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
}

/** A connection of Kysely on a client that is open. */
export function connectionOn(client: SqliteClient): DatabaseConnection {
  const prepare = ({ sql, parameters }: CompiledQuery) => {
    const statement: Statement = client.prepare(sql);
    // What SQLite cannot bind, the client refuses.
    const values = [...parameters] as SqliteValue[];
    const reads = statement.reader ?? (statement.columns?.() ?? []).length > 0;
    return { statement, values, reads };
  };
  return {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const { statement, values, reads } = prepare(query);
      if (reads) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    streamQuery: async function* <R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      const { statement, values } = prepare(query);
      for (const row of statement.all(...values)) yield { rows: [row as R] };
    },
  };
}
