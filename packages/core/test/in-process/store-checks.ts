import { listBlockers } from "../../src/in-process/operations/list-blockers.ts";
import { toChainRecord, toJobRecord } from "../../src/in-process/records.ts";
import type { LazyHeap } from "../../src/in-process/lazy-heap.ts";
import type { JobRow, Lane } from "../../src/in-process/row-types.ts";
import type { Store } from "../../src/in-process/store.ts";

/** Everything that a store could return, as text; the order of claims represents the positions. */
export function dump(store: Store): string {
  const rows = store.jobsById.chunks.flat();
  return JSON.stringify({
    jobs: rows.map((row) => ({
      ...toJobRecord(row, 0),
      written: row.status,
      readyAt: row.readyAt,
      lease: row.lease,
      failedBy: row.blocking?.failedBy?.id,
      blockers: listBlockers(store, { jobId: row.id, afterPosition: undefined, limit: Infinity }),
      dependents: [...(row.shared?.dependents ?? [])].map(({ id }) => id).sort(),
    })),
    chains: store.chainsById.chunks.flat().map(toChainRecord),
    first: [...rows].sort((left, right) => left.position - right.position).map(({ id }) => id),
    counts: [...store.lanes.types.values()]
      .map(({ name, counts }) => ({ name, counts }))
      .filter(({ counts }) => Object.values(counts).some((count) => count > 0))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    keys: [...store.deduplications.values()].map(({ chain, ...row }) => ({ ...row, chain: chain.id })).sort(byKey),
    workers: [...store.workers.values()].sort((left, right) => (left.worker.id < right.worker.id ? -1 : 1)),
  });
}

/** The errors in a store's indexes; empty if every row is in the indexes of its state and the counts are right. */
export function faultsIn(store: Store): string[] {
  const faults: string[] = [];
  const expect = (rule: string, kept: boolean) => {
    if (!kept) faults.push(rule);
  };
  const rows = [...store.jobs.values()];
  const ids = rows.map(({ id }) => id).sort();
  const chainIds = rows.filter(({ chain }) => chain === undefined).map(({ id }) => id);
  expect("jobs by id", same(store.jobsById.chunks.flat().map(idOf), ids));
  expect("chains by id", same(store.chainsById.chunks.flat().map(idOf), chainIds.sort()));
  for (const type of store.lanes.types.values()) {
    const own = rows.filter(({ lane }) => lane.type === type);
    for (const [status, count] of Object.entries(type.counts)) {
      expect(`${type.name}: count of ${status}`, own.filter((row) => row.status === status).length === count);
    }
    expect(
      `${type.name}: scheduled`,
      holds(
        type.scheduled,
        own.filter(({ status }) => status === "scheduled"),
      ),
    );
    expect(
      `${type.name}: leases`,
      holds(
        type.leases,
        own.filter(({ status }) => status === "running"),
      ),
    );
    for (const lane of type.lanes.values()) faults.push(...faultsInLane(lane, own));
  }
  const ended = rows.filter((row) => row.endedAt !== undefined && row.next === undefined);
  expect(
    "ended",
    holds(
      store.ended,
      ended.filter(({ status }) => status !== "failed"),
      store.needed.moments,
    ),
  );
  expect(
    "failed",
    holds(
      store.failed,
      ended.filter(({ status }) => status === "failed"),
      store.needed.moments,
    ),
  );
  for (const { name, lanes, busy } of store.lanes.types.values()) {
    const withEntries = [...lanes.values()].filter((lane) => entriesOf(lane).length > 0);
    expect(
      `${name}: busy lanes`,
      same(
        busy,
        withEntries.toSorted((left, right) => right.priority - left.priority),
      ),
    );
  }
  return faults;
}

export function entriesOf(lane: Lane): JobRow[] {
  return [...lane.rows.slice(lane.head), ...lane.older.items].filter((row) => row !== undefined);
}

function faultsInLane(lane: Lane, rows: readonly JobRow[]): string[] {
  const entries = entriesOf(lane);
  const ready = rows.filter((row) => row.lane === lane && row.status === "ready");
  const faults: string[] = [];
  if (lane.live !== ready.length) faults.push(`${lane.type.name}: live`);
  if (new Set(entries).size !== entries.length) faults.push(`${lane.type.name}: an entry is there twice`);
  if (!ready.every((row) => entries.includes(row))) faults.push(`${lane.type.name}: a ready job is in no lane`);
  if (!entries.every((row) => row.queued)) faults.push(`${lane.type.name}: an entry that its row denies`);
  return faults;
}

/** The heap has exactly these rows, except that postponed ones may be elsewhere. */
function holds(heap: LazyHeap<JobRow>, rows: readonly JobRow[], putOff?: ReadonlyMap<JobRow, number>): boolean {
  const valid = heap.items.filter((row, at) => heap.valid(row, heap.keys[at] ?? Number.NaN));
  const elsewhere = rows.filter((row) => putOff?.has(row) === true);
  return heap.live === rows.length && same(new Set([...valid, ...elsewhere]), new Set(rows));
}

function same(left: Iterable<unknown>, right: Iterable<unknown>): boolean {
  const [lefts, rights] = [[...left], [...right]];
  if (left instanceof Set) return lefts.length === rights.length && lefts.every((one) => rights.includes(one));
  return lefts.length === rights.length && lefts.every((one, at) => one === rights[at]);
}

function idOf({ id }: JobRow): string {
  return id;
}

function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1;
}
