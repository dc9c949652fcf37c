import type { JobRecord } from "../../model/record.ts";
import { toJobRecord } from "../records.ts";
import type { Store } from "../store.ts";

export function getJobs(store: Store, ids: readonly string[], now: number): readonly (JobRecord | undefined)[] {
  return ids.map((id) => {
    const row = store.jobs.get(id);
    return row === undefined ? undefined : toJobRecord(row, now);
  });
}
