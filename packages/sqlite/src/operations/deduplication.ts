import type { ChainStatus } from "chainwright";
import type { DeduplicationScope, JobStart } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** The chain that holds a key. */
export interface KeyHolder {
  readonly seq: number;
  readonly id: string;
  readonly status: ChainStatus;
  readonly input: string;
  readonly createdAt: number;
}

export interface KeyRow {
  readonly key: string;
  readonly scope: DeduplicationScope;
  readonly until: number | null;
}

export interface Deduplication {
  /** The chain that holds the key of this start now, if it has a key. */
  holderOf(start: JobStart, now: number): KeyHolder | undefined;
  holderOfKey(key: string, now: number): KeyHolder | undefined;
  /** The key of this start. */
  rowOf(start: JobStart, now: number): KeyRow | undefined;
  hold(row: KeyRow, chain: number): void;
  /** Frees a key if this chain holds it. */
  free(key: string, chain: number): void;
}

/**
 * Keys of scope `active` are freed when their chain ends, so a row that is there holds, unless its window has passed; keys
 * of scope `any` go with their chain or their window.
 */
export function createDeduplication(store: Store): Deduplication {
  const { tables: t } = store;
  const find = store.sql<{ seq: number; id: string; chain_status: ChainStatus; input: string; created_at: number }>(
    `select j.seq, j.id, j.chain_status, j.input, j.created_at
     from ${t.deduplication} d join ${t.job} j on j.seq = d.chain
     where d.key = ? and (d.until_at is null or d.until_at > ?)`,
  );
  const upsert = store.sql(
    `insert into ${t.deduplication} (key, chain, until_at) values (?, ?, ?)
     on conflict (key) do update set chain = excluded.chain, until_at = excluded.until_at`,
  );
  const remove = store.sql(`delete from ${t.deduplication} where key = ? and chain = ?`);

  const holderOfKey = (key: string, now: number): KeyHolder | undefined => {
    const row = find.get(key, now);
    if (row === undefined) return undefined;
    return { seq: row.seq, id: row.id, status: row.chain_status, input: row.input, createdAt: row.created_at };
  };

  return {
    holderOfKey,
    holderOf: (start, now) =>
      start.deduplication === undefined ? undefined : holderOfKey(start.deduplication.key, now),
    rowOf: (start, now) => {
      if (start.deduplication === undefined) return undefined;
      const { key, scope, windowMs } = start.deduplication;
      return { key, scope, until: windowMs === undefined ? null : now + windowMs };
    },
    hold: ({ key, until }, chain) => void upsert.run(key, chain, until),
    free: (key, chain) => void remove.run(key, chain),
  };
}
