import { createClient } from "chainwright";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { betterSqlite3 } from "@chainwright/sqlite/better-sqlite3";
import { fileJobTypes, libraryJobTypes } from "./job-types.ts";

export type LibraryClient = ReturnType<typeof openDatabase>["client"];

/**
 * A client on a database file, which several processes may share.
 *
 * With durability "normal" a process that is killed loses nothing that was committed; a loss of power may take the last
 * moments. The default, "full", keeps those too, and waits for the disk with every commit.
 */
export function openDatabase(file: string) {
  const stateAdapter = createSqliteStateAdapter({ driver: betterSqlite3(file), durability: "normal" });
  const client = createClient({ stateAdapter, jobTypes: [fileJobTypes, libraryJobTypes] });
  return { stateAdapter, client };
}
