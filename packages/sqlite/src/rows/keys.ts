import type { ChainStatus } from "chainwright";
import type { Store } from "../store.ts";
import { type ChainRow, type SqliteRows, keyOf } from "./job-row.ts";

type Keys = Pick<SqliteRows, "keyOf" | "keyHolder" | "takeKey" | "freeKey">;

interface HolderRow extends ChainRow {
  readonly chain_status: ChainStatus;
  readonly input: string;
  readonly version: number | null;
  readonly created_at: number;
}

/** The deduplication keys that chains hold. */
export function createKeys({ tables: t, sql }: Store): Keys {
  const find = sql<HolderRow>(
    `select j.seq, j.id, j.type_name, j.chain_status, j.referenced, j.awaited, j.key, j.key_scope, j.key_until, j.input, j.version, j.created_at
     from ${t.deduplication} d join ${t.job} j on j.seq = d.chain
     where d.key = ? and (d.until is null or d.until > ?)`,
  );
  const upsert = sql(
    `insert into ${t.deduplication} (key, chain, until) values (?, ?, ?)
     on conflict (key) do update set chain = excluded.chain, until = excluded.until`,
  );
  const remove = sql(`delete from ${t.deduplication} where key = ? and chain = ?`);
  return {
    keyOf,
    keyHolder: (key, now) => {
      const row = find.get(key, now);
      if (row === undefined) return undefined;
      return {
        chain: row,
        status: row.chain_status,
        input: row.input,
        version: row.version ?? 1,
        createdAt: row.created_at,
      };
    },
    takeKey: ({ seq, key, key_until: until }) => {
      if (key !== null) upsert.run(key, seq, until);
    },
    freeKey: ({ seq, key }) => {
      if (key !== null) remove.run(key, seq);
    },
  };
}
