import type { ChainStatus } from "chainwright";
import type { Store } from "../store.ts";
import { heldKey } from "chainwright/adapter";
import { type ChainRow, type SqliteRows, heldKeyOf, keyOf } from "./job-row.ts";

type Keys = Pick<SqliteRows, "keyOf" | "keyHolder" | "firstDueAt" | "takeKey" | "freeKey">;

interface HolderRow extends ChainRow {
  readonly chain_status: ChainStatus;
  readonly input: string;
  readonly version: number | null;
  readonly created_at: number;
  readonly until: number | null;
}

/** The deduplication keys that chains hold. */
export function createKeys({ tables: t, sql }: Store): Keys {
  // A process of the release before deletes a chain without its key of `debounce` or `throttle`, and its `seq` may be given again:
  // then the key in the job's row differs.
  const find = sql<HolderRow>(
    `select j.seq, j.id, j.type_name, j.chain_status, j.referenced, j.awaited, j.key, j.key_scope, j.key_until, j.extras, j.input, j.version, j.created_at, d.until
     from ${t.deduplication} d join ${t.job} j on j.seq = d.chain
     where d.key = ? and d.key = ${heldKeyOf("j")} and (d.until is null or d.until > ?)`,
  );
  const upsert = sql(
    `insert into ${t.deduplication} (key, chain, until) values (?, ?, ?)
     on conflict (key) do update set chain = excluded.chain, until = excluded.until`,
  );
  const dueAt = sql<{ due_at: number }>(`select due_at from ${t.openJob} where job = ? and fence = 0`);
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
        until: row.until ?? undefined,
      };
    },
    firstDueAt: ({ seq }) => dueAt.get(seq)?.due_at,
    takeKey: (chain) => {
      const key = keyOf(chain);
      if (key !== undefined) upsert.run(heldKey(key), chain.seq, key.until ?? null);
    },
    freeKey: (chain) => {
      const key = keyOf(chain);
      if (key !== undefined) remove.run(heldKey(key), chain.seq);
    },
  };
}
