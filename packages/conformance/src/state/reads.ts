import type { StateAdapter } from "chainwright/adapter";

const reads: ReadonlySet<string> = new Set([
  "getChains",
  "getKeyHolders",
  "getJobs",
  "listChains",
  "listJobs",
  "listDue",
  "reach",
  "listBlockers",
  "countBlockers",
  "countAhead",
  "dueSchedules",
  "listSchedules",
  "listTicks",
  "listNotes",
  "listWorkers",
  "count",
  "storeId",
  "inspect",
] satisfies readonly (keyof StateAdapter)[]);

/** Whether a method of the state port only reads. */
export function isRead(method: string): boolean {
  return reads.has(method);
}
