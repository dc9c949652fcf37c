import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createJournalStateAdapter } from "@chainwright/journal";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { createInProcessStateAdapter, type StateAdapter } from "chainwright";
import type { StoreName } from "./order.ts";

/** Opens an empty store below a folder. */
export async function openStore(name: StoreName, below: string): Promise<StateAdapter> {
  if (name === "in process") return createInProcessStateAdapter();
  const folder = mkdtempSync(join(below, "store-"));
  if (name === "journal, full") return createJournalStateAdapter({ folder });
  if (name === "journal, 10 ms") return createJournalStateAdapter({ folder, durability: { intervalMs: 10 } });
  const adapter = createSqliteStateAdapter({ driver: betterSqlite3(join(folder, "jobs.db")), durability: "full" });
  await adapter.migrate();
  return adapter;
}
