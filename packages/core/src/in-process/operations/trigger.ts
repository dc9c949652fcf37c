import type { JobRef, Reply } from "../../ports/state.ts";
import { refused, toJobRef } from "../records.ts";
import { statusAt } from "../rows.ts";
import type { JobRow } from "../rows.ts";
import { enter, leave } from "../store.ts";
import type { Store } from "../store.ts";

export function trigger(store: Store, jobIds: readonly string[], now: number): Reply<readonly JobRef[]> {
  const rows: JobRow[] = [];
  for (const id of jobIds) {
    const row = store.jobs.get(id);
    if (row === undefined) return refused({ code: "job-not-found", id });
    const actual = statusAt(row, now);
    if (actual !== "scheduled") return refused({ code: "job-not-scheduled", id, actual });
    rows.push(row);
  }
  for (const row of new Set(rows)) {
    leave(store, row);
    row.status = "ready";
    row.readyAt = now;
    enter(store, row);
  }
  return { ok: true, value: rows.map(toJobRef) };
}
