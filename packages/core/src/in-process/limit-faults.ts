import type { StoreFault } from "../ports/doctor.ts";
import { nothing } from "../rules/replies.ts";
import { faultOf, isThere } from "./faults.ts";
import { hasPlaces } from "./limit-lanes.ts";
import type { Gate, JobRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** A job that runs, or keeps its places, and holds none. */
export function placeFaults(row: JobRow): readonly StoreFault[] {
  return lostPlaces(row).length > 0 ? [faultOf("job-without-place", row)] : nothing;
}

/** Places of jobs that do not exist or hold none. */
export function strayPlaces(store: Store): readonly StoreFault[] {
  const strays = new Set(
    gatesOf(store).flatMap(({ holders }) => [...holders].filter((row) => !holdsPlace(store, row))),
  );
  return Array.from(strays, (row) => ({ kind: "place-without-job", id: row.id }));
}

/** Frees the places of a job that does not exist or holds none. */
export function freePlaces(store: Store, { id }: StoreFault): boolean {
  let isFreed = false;
  for (const gate of gatesOf(store)) {
    for (const row of gate.holders) {
      if (row.id !== id || holdsPlace(store, row)) continue;
      gate.holders.delete(row);
      store.limits.freed.add(gate);
      isFreed = true;
    }
  }
  return isFreed;
}

/** Gives a job the places that it should hold. */
export function takePlaces(row: JobRow): boolean {
  const lost = lostPlaces(row);
  for (const { holders } of lost) holders.add(row);
  return lost.length > 0;
}

function lostPlaces(row: JobRow): readonly Gate[] {
  if (row.lane.limited === undefined || !hasPlaces(row)) return nothing;
  return row.lane.limited.lane.gates.filter(({ holders }) => !holders.has(row));
}

function holdsPlace(store: Store, row: JobRow): boolean {
  return isThere(store, row) && hasPlaces(row);
}

function gatesOf({ limits }: Store): readonly Gate[] {
  return [...limits.rows.values()].flatMap(({ gates }) => [...gates.values()]);
}
