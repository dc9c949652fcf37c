import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright/adapter";
import { expect } from "vitest";
import { databasePath, listening, migratedStore, type Handle } from "./store.ts";

/** All rows of all tables. */
function contentOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    const tables = database
      .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
      .pluck()
      .all();
    return tables.map((table) => [table, database.prepare(`select * from ${table}`).all()]);
  } finally {
    database.close();
  }
}

type Step = (store: StateAdapter<Handle>) => Promise<unknown>;

/**
 * Runs steps, and fails each of their statements once before a step succeeds: the store is then as it was before the step. Returns how
 * many statements failed.
 */
export async function failEachStatement(steps: readonly Step[]): Promise<number> {
  const path = databasePath();
  let left = Infinity;
  const driver = listening(path, (sql) => {
    if (/^(begin|commit|rollback|savepoint|release|pragma)/.test(sql)) return;
    left -= 1;
    if (left === 0) throw new Error("the statement failed");
  });
  const store = await migratedStore({ path, driver });
  let failed = 0;
  for (const [at, step] of steps.entries()) {
    const before = contentOf(path);
    for (let statement = 1; ; statement += 1) {
      left = statement;
      const result = await step(store).then(
        () => "done",
        (error: unknown) => String(error),
      );
      if (result === "done") break;
      left = Infinity;
      expect(result, `step ${at}, statement ${statement}`).toContain("the statement failed");
      expect(contentOf(path), `step ${at}, statement ${statement}`).toEqual(before);
      failed += 1;
    }
    left = Infinity;
  }
  return failed;
}
