import type { Client } from "pg";

/** What grows under a held snapshot. */
export interface StoreFigures {
  readonly bytes: Readonly<Record<string, number>>;
  readonly dead: Readonly<Record<string, number>>;
  /** Pages of `open_job` and its indexes read since the beginning. */
  readonly pages: number;
  /** Index entries read since the beginning, by index. */
  readonly read: Readonly<Record<string, number>>;
}

export async function figuresOf(client: Client): Promise<StoreFigures> {
  const tables = await client.query<{ name: string; bytes: string; dead: string }>(
    `select relname as name, pg_relation_size(relid) as bytes, n_dead_tup as dead
    from pg_stat_user_tables where schemaname = 'chainwright' and (n_dead_tup > 0 or relname = 'open_job') order by relname`,
  );
  const indexes = await client.query<{ name: string; bytes: string; read: string }>(
    `select indexrelname as name, pg_relation_size(indexrelid) as bytes, idx_tup_read as read
    from pg_stat_user_indexes where schemaname = 'chainwright' and idx_tup_read > 0 order by indexrelname`,
  );
  const pages = await client.query<{ pages: string }>(
    `select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read as pages
    from pg_statio_user_tables where schemaname = 'chainwright' and relname = 'open_job'`,
  );
  return {
    pages: Number(pages.rows[0]?.pages),
    bytes: Object.fromEntries([...tables.rows, ...indexes.rows].map(({ name, bytes }) => [name, Number(bytes)])),
    dead: Object.fromEntries(tables.rows.map(({ name, dead }) => [name, Number(dead)])),
    read: Object.fromEntries(indexes.rows.map(({ name, read }) => [name, Number(read)])),
  };
}
