import type { InspectReply, InspectRequest, StoreFault } from "../../ports/doctor.ts";
import { placeFaults, strayPlaces } from "../limit-faults.ts";
import { faultOf, faultsOfBlocking, faultsOfJob, isHeldByNoOne, staleKeys, wrongCounts } from "../faults.ts";
import { strayNotes } from "../stray-notes.ts";
import type { JobRow } from "../row-types.ts";
import { pageSorted } from "../sorted-rows.ts";
import { staleTags } from "../stale-tags.ts";
import type { Store } from "../store.ts";

/** One page of a check. Keys and counts are looked at in one go: a million jobs are counted in some 30 ms. */
export function inspect(store: Store, request: InspectRequest, now: number): InspectReply {
  switch (request.check) {
    case "jobs":
      return inspectJobs(store, request);
    case "leases":
      return inspectLeases(store, request, now);
    case "blockers":
      return alongJobs(store, request, (row) => faultsOfBlocking(store, row));
    case "keys":
      return whole([...staleKeys(store, now), ...staleTags(store)]);
    case "counts":
      return whole(wrongCounts(store));
    case "schema":
      return whole([]);
  }
}

/** Notes without jobs are reported with the first page. */
function inspectJobs(store: Store, request: InspectRequest): InspectReply {
  const reply = alongJobs(store, request, (row) => faultsOfJob(store, row));
  return request.after === undefined ? { ...reply, faults: [...strayNotes(store), ...reply.faults] } : reply;
}

/** Places without jobs are reported with the first page. */
function inspectLeases(store: Store, request: InspectRequest, now: number): InspectReply {
  const { heldBeforeMs, after } = request;
  const reply = alongJobs(store, request, (row) => [
    ...leaseFaults(store, row, { now, heldBeforeMs }),
    ...placeFaults(row),
  ]);
  return after === undefined ? { ...reply, faults: [...strayPlaces(store), ...reply.faults] } : reply;
}

function alongJobs(
  { jobsById }: Store,
  { after, limit }: InspectRequest,
  look: (row: JobRow) => readonly StoreFault[],
): InspectReply {
  const rows = pageSorted(jobsById, { after, limit, order: "ascending" }, () => true);
  return { faults: rows.flatMap(look), next: rows.length < limit ? undefined : rows.at(-1)?.id, isCut: false };
}

function leaseFaults(
  store: Store,
  row: JobRow,
  { now, heldBeforeMs }: { readonly now: number; readonly heldBeforeMs: number },
): readonly StoreFault[] {
  const { lease } = row;
  if (lease === undefined || lease.startedAt > now - heldBeforeMs || !isHeldByNoOne(store, row, now)) return [];
  return [{ ...faultOf("lease-of-no-one", row), workerId: lease.workerId }];
}

function whole(faults: readonly StoreFault[]): InspectReply {
  return { faults, next: undefined, isCut: false };
}
