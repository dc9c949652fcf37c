import type { Store } from "./store.ts";

/**
 * Creates triggers with the first use of what needs them, which is on record under `key`: stores that do not use it pay nothing for
 * them. Returns what is called before each use.
 */
export function createAtFirstUse(store: Store, key: string, triggers: readonly string[]): () => void {
  const { tables: t, sql } = store;
  const isCreated = sql(`select 1 from ${t.meta} where key = '${key}'`);
  const note = sql(`insert into ${t.meta} (key, value) values ('${key}', '1')`);
  const statements = triggers.map((text) => sql(text));
  // A call that writes many asks once.
  let asked: number | undefined;
  return () => {
    if (asked === store.unbroken) return;
    asked = store.unbroken;
    if (isCreated.get() !== undefined) return;
    for (const statement of statements) statement.run();
    note.run();
  };
}
