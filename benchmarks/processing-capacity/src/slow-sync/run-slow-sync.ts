import { answerParent } from "@chainwright/bench-measuring";
import { sqliteRows } from "../rows/sqlite.ts";
import type { Settings } from "../settings.ts";
import { measureSlowSync } from "./measure-slow-sync.ts";

/** The orders for the process of one row. */
export interface SlowSyncRequest {
  readonly name: string;
  readonly settings: Settings;
}

answerParent(async (asked, progress) => {
  const request = asked as SlowSyncRequest;
  const row = sqliteRows.find(({ name }) => name === request.name);
  if (row === undefined) throw new Error(`there is no row "${request.name}"`);
  return await measureSlowSync(row, request.settings, progress);
});
