import type { Store } from "../store.ts";

/** Reads a row once the application has analyzed something. */
export const selectAnalyzed = "select 1 from sqlite_schema where name = 'sqlite_stat1'";

/**
 * Removes what `analyze` or `pragma optimize` of the application has written down about the tables of the store, and makes every
 * connection plan again. Planned for a store that was nearly empty, each claim would read all open jobs, and each end the whole
 * history; without statistics all rows are found by indexes. Those of other tables stay. Called only if `selectAnalyzed` finds a row.
 */
export function createForgetStatistics({ tables: t, sql }: Store): () => void {
  const names = Object.values<string>({ ...t });
  const of = `tbl in (${names.map((name) => `'${name}'`).join(", ")})`;
  const isKnown = sql(`select 1 from sqlite_stat1 where ${of} limit 1`);
  // Only some builds of SQLite have it.
  const hasSamples = sql("select 1 from sqlite_schema where name = 'sqlite_stat4'");
  const forgetSamples = sql(`delete from sqlite_stat4 where ${of}`);
  const forget = [
    sql(`delete from sqlite_stat1 where ${of}`),
    // Other connections read the statistics again when the schema has changed; this one must be told to.
    sql(`create table ${t.meta}_changed (n integer) strict`),
    sql(`drop table ${t.meta}_changed`),
    sql("analyze sqlite_schema"),
  ];
  return () => {
    if (isKnown.get() === undefined) return;
    if (hasSamples.get() !== undefined) forgetSamples.run();
    for (const statement of forget) statement.run();
  };
}
