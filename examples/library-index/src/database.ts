import { createClient } from "chainwright";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { fileJobTypes, libraryJobTypes } from "./job-types.ts";

export type LibraryClient = ReturnType<typeof openDatabase>["client"];

/**
 * Creates a client on a database file, which several processes may share.
 *
 * With durability "normal" a killed process loses no committed data, but a loss of power may lose the last commits. The default, "full",
 * keeps those too, because every commit waits for the disk.
 */
export function openDatabase(file: string) {
  const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(file), durability: "normal" });
  const client = createClient({ stateAdapter, jobTypes: [fileJobTypes, libraryJobTypes] });
  return { stateAdapter, client };
}
