import type { JobRecord } from "../../model/record.ts";
import type { DueQuery } from "../../ports/query.ts";
import { omitPayloads } from "../omit-payloads.ts";
import { toJobRecord } from "../records.ts";
import { statusAt } from "../row-types.ts";
import type { JobRow } from "../row-types.ts";
import type { Store } from "../store.ts";

export function listDue(store: Store, query: DueQuery, now: number): readonly JobRecord[] {
  const { typeNames, after, limit } = query;
  const wanted = typeNames && new Set(typeNames);
  const follows = (row: JobRow): boolean =>
    after === undefined || row.readyAt > after.dueAt || (row.readyAt === after.dueAt && row.id > after.id);
  const due = new Set<JobRow>();
  for (const { name, scheduled } of store.lanes.types.values()) {
    if (wanted?.has(name) === false) continue;
    // Entries may be stale, and a job that left and came back has two.
    for (const row of scheduled.items) if (statusAt(row, now) === "scheduled" && follows(row)) due.add(row);
  }
  return [...due]
    .sort((a, b) => a.readyAt - b.readyAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map((row) => omitPayloads(toJobRecord(row, now), query));
}
