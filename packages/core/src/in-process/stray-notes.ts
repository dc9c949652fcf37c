import type { StoreFault } from "../ports/doctor.ts";
import { removeNotes } from "./notes.ts";
import type { JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** What was noted about jobs that do not exist. */
export function strayNotes(store: Store): StoreFault[] {
  return strays(store).map(({ id }) => ({ kind: "note-without-job", id }));
}

/** Reports whether there was such a note. */
export function dropStrayNotes(store: Store, { id }: StoreFault): boolean {
  const rows = strays(store).filter((row) => row.id === id);
  for (const row of rows) removeNotes(store, row);
  return rows.length > 0;
}

function strays({ jobs, notes }: Store): JobRow[] {
  return [...notes.byJob.keys()].filter((row) => jobs.get(row.id) !== row);
}
