import type { JobStatus } from "../model/status.ts";
import { createHeap, keepInHeap, popHeap, pushHeap } from "./heap.ts";
import { createLazyHeap } from "./lazy-heap.ts";
import { claimName } from "../model/claim-name.ts";
import type { ClaimKey } from "../model/claim-name.ts";
import { queueOf } from "./row-types.ts";
import type { JobRow, Lane, TypeRow } from "./row-types.ts";

export interface Lanes {
  /** By claim name. */
  readonly types: Map<string, TypeRow>;
}

/** Stale entries that are cheaper to keep than to look for. */
const slack = 64;
/** Free places at the front of a lane that are cheaper to keep than to close. */
const gap = 1_024;

export function createLanes(): Lanes {
  return { types: new Map() };
}

export function laneFor(lanes: Lanes, key: ClaimKey, priority: number): Lane {
  const type = typeFor(lanes, key);
  const known = type.lanes.get(priority);
  if (known !== undefined) return known;
  const lane = createLane(type, { priority, among: type.busy, limited: undefined });
  type.lanes.set(priority, lane);
  return lane;
}

export function createLane(type: TypeRow, where: Pick<Lane, "priority" | "among" | "limited">): Lane {
  const { priority, among, limited } = where;
  return { type, priority, among, limited, rows: [], head: 0, older: createHeap(), live: 0 };
}

/** The rows of each type: one for each version and pool that it has jobs of. */
export function byTypeName({ types }: Lanes): ReadonlyMap<string, readonly TypeRow[]> {
  return Map.groupBy(types.values(), ({ name }) => name);
}

/** How many jobs of one type have a status. */
export function countOf(rows: readonly TypeRow[], status: JobStatus): number {
  return rows.reduce((sum, { counts }) => sum + counts[status], 0);
}

export function enterLane(row: JobRow): void {
  const lane = queueOf(row);
  lane.live += 1;
  if (row.queued === lane) return;
  row.queued = lane;
  if (entriesOf(lane) === 0) addBusy(lane);
  const youngest = lane.rows[lane.rows.length - 1];
  if (youngest === undefined || youngest.position < row.position) lane.rows.push(row);
  else pushHeap(lane.older, row.position, row);
}

/** Called for a row that is no longer ready; its entry remains, or was removed before. */
export function leaveLane(lane: Lane): void {
  lane.live -= 1;
  if (entriesOf(lane) <= 2 * lane.live + slack) return;
  lane.rows = lane.rows.filter((row) => row !== undefined && keepEntry(lane, row));
  lane.head = 0;
  keepInHeap(lane.older, (row) => keepEntry(lane, row));
  if (entriesOf(lane) === 0) removeBusy(lane);
}

/** Takes the oldest ready row; it still counts as one of the lane's. */
export function takeOldest(lane: Lane): JobRow | undefined {
  for (;;) {
    const front = lane.rows[lane.head];
    const older = lane.older.items[0];
    let row: JobRow | undefined;
    if (front !== undefined && (older === undefined || front.position < older.position)) {
      row = front;
      advance(lane);
    } else {
      row = popHeap(lane.older);
    }
    if (row === undefined) return undefined;
    if (entriesOf(lane) === 0) removeBusy(lane);
    // A retry with an input of another version has moved it to another lane.
    if (row.queued !== lane) continue;
    row.queued = undefined;
    if (row.status === "ready") return row;
  }
}

/** The entries of a lane, the stale ones too. */
function entriesOf({ rows, head, older }: Lane): number {
  return rows.length - head + older.items.length;
}

function typeFor(lanes: Lanes, asked: ClaimKey): TypeRow {
  const name = claimName(asked);
  const known = lanes.types.get(name);
  if (known !== undefined) return known;
  const type: TypeRow = {
    name: asked.typeName,
    version: asked.version ?? 1,
    pool: asked.pool,
    claimName: name,
    counts: { blocked: 0, waiting: 0, scheduled: 0, ready: 0, running: 0, completed: 0, failed: 0, cancelled: 0 },
    scheduled: createLazyHeap((row, key) => row.status === "scheduled" && row.readyAt === key),
    waits: createLazyHeap((row, key) => row.status === "waiting" && row.wait?.until === key),
    leases: createLazyHeap((row, key) => row.status === "running" && row.lease?.until === key),
    lanes: new Map(),
    busy: [],
    limits: undefined,
  };
  lanes.types.set(name, type);
  return type;
}

function addBusy(lane: Lane): void {
  const busy = lane.among;
  const below = busy.findIndex((other) => other.priority < lane.priority);
  busy.splice(below < 0 ? busy.length : below, 0, lane);
}

function removeBusy(lane: Lane): void {
  const busy = lane.among;
  if (busy[0] === lane) busy.shift();
  else busy.splice(busy.indexOf(lane), 1);
}

function keepEntry(lane: Lane, row: JobRow): boolean {
  if (row.queued !== lane) return false;
  if (row.status !== "ready") row.queued = undefined;
  return row.status === "ready";
}

function advance(lane: Lane): void {
  lane.rows[lane.head] = undefined;
  lane.head += 1;
  if (lane.head === lane.rows.length) {
    lane.rows.length = 0;
    lane.head = 0;
  } else if (lane.head > gap && lane.head * 2 > lane.rows.length) {
    lane.rows = lane.rows.slice(lane.head);
    lane.head = 0;
  }
}
