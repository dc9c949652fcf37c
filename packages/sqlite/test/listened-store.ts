import { readFileSync } from "node:fs";
import { betterSqlite3 } from "../src/drivers/better-sqlite3.ts";
import { databasePath, listening, migratedStore } from "./store.ts";

/** A store whose statements can be listened to, and whose plans, of the first time each is run, can be asked for. */
export async function listenedStore(path = databasePath()) {
  const statements: string[] = [];
  const plans = new Map<string, string>();
  const driver = listening(path, (sql, handle) => {
    statements.push(sql);
    if (!/^\s*(select|update|with|delete|insert)/.test(sql) || plans.has(sql)) return;
    const parameters = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => "[]");
    const plan = handle.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
    plans.set(sql, plan.map(({ detail }) => detail).join("\n"));
  });
  return { store: await migratedStore({ path, driver }), statements, plans, path };
}

/** The plans in which one of these statements reads a whole table or index. */
export function scansOf(statements: readonly string[], plans: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set(statements)].flatMap((sql) =>
    (plans.get(sql) ?? "")
      .split("\n")
      .filter((detail) => /^SCAN (s|o|j|c|chainwright_\w+)\b/.test(detail))
      .map((detail) => `${detail}\n${sql}`),
  );
}

/** A store on a file of which nothing is kept in memory. */
export async function uncachedStore(path: string) {
  const database = betterSqlite3(path);
  return await migratedStore({
    path,
    driver: {
      ...database,
      open: () => {
        const opened = database.open();
        opened.exec("pragma cache_size = 0; pragma mmap_size = 0");
        return opened;
      },
    },
  });
}

/** How many pages this process has read from files. */
export function pagesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]) / 4_096;
}
