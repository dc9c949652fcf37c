import type { Pool } from "pg";

/** Runs a statement and returns the first column of its rows. */
type Query = (sql: string) => Promise<readonly string[]>;

/**
 * Returns a statement that empties the tables of a migrated schema, for cases that take schemas in turn, because to migrate one takes
 * longer than most cases. One statement, because most cases take less time than a round trip for each table.
 */
export async function emptyingSchema(query: Query, schema: string): Promise<string> {
  const [deletions] = await query(
    `select string_agg(format('delete from %I.%I;', schemaname, tablename), E'\\n' order by tablename) from pg_catalog.pg_tables
    where schemaname = '${schema.replaceAll("'", "''")}' and tablename not in ('meta', 'upkeep', 'open_job')`,
  );
  const quoted = `"${schema.replaceAll('"', '""')}"`;
  return `do $$ begin
    -- What deleted rows leave in the claim's index would have later cases look at jobs in another way.
    truncate ${quoted}.open_job;
    ${deletions}
    -- The next case may live at the same moments.
    update ${quoted}.upkeep set began_at = 0;
  end $$`;
}

/** The same for a schema that is reached through a pool. */
export function emptyingSchemaOn(pool: Pool, schema: string): Promise<string> {
  const query = async (text: string) => {
    const { rows } = await pool.query<[string]>({ text, rowMode: "array" });
    return rows.map(([value]) => value);
  };
  return emptyingSchema(query, schema);
}
