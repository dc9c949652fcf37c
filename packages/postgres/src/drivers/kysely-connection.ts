import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { PostgresJsQuery, PostgresJsQueryable } from "./postgres-js-queries.ts";

type Row = Readonly<Record<string, unknown>>;

/** What a transaction of Kysely uses of a handle of postgres.js. */
export interface KyselyHandle extends PostgresJsQueryable {
  unsafe(text: string, parameters?: unknown[], options?: { readonly prepare?: boolean }): Query;
}

interface Query extends PromiseLike<Rows> {
  values(): PostgresJsQuery;
  cursor(size: number): AsyncIterable<readonly Row[]>;
  cancel(): void;
}

interface Rows extends Iterable<Row> {
  readonly command: string;
  readonly count: number;
}

/** A connection of Kysely on a handle of postgres.js. Its replies are those of the dialect kysely-postgres-js. */
export function connectionOn(handle: KyselyHandle): DatabaseConnection {
  let running: Query | undefined;
  return {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      const query = handle.unsafe(sql, [...parameters], { prepare: true });
      running = query;
      try {
        const rows = await query;
        return {
          rows: [...rows] as R[],
          ...(writing.has(rows.command) && { numAffectedRows: BigInt(rows.count) }),
        };
      } finally {
        running = undefined;
      }
    },
    streamQuery: async function* <R>(
      { sql, parameters }: CompiledQuery,
      size: number,
    ): AsyncIterableIterator<QueryResult<R>> {
      for await (const rows of handle.unsafe(sql, [...parameters]).cursor(size)) {
        yield { rows: [...rows] as R[] };
      }
    },
    cancelQuery: async () => running?.cancel(),
  };
}

const writing: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
