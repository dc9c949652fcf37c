import type { Pool } from "pg";

/** Counts the pages of a schema's tables and indexes that calls read, on the only connection of a pool, whose plans are there. */
export function createPageMeter(pool: Pool, schema: string) {
  /** @param tables undefined: all */
  const pagesRead = async (tables: readonly string[] | undefined): Promise<number> => {
    const { rows } = await pool.query<{ pages: string }>(
      `select sum(pg_stat_get_xact_blocks_fetched(c.oid)) as pages
       from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
       where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'i') and ($2::text[] is null or t.relname = any($2))`,
      [`"${schema}"`, tables],
    );
    return Number(rows[0]?.pages);
  };
  return (tables?: readonly string[]) => {
    const pages: Record<string, number> = {};
    const measure = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      await pool.query("begin");
      const before = await pagesRead(tables);
      const value = await run();
      pages[what] = (await pagesRead(tables)) - before;
      await pool.query("commit");
      return value;
    };
    return { pages, measure };
  };
}
