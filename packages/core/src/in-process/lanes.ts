import { createHeap, keepInHeap, popHeap, pushHeap } from "./heap.ts";
import { createLazyHeap } from "./lazy-heap.ts";
import type { JobRow, Lane, Level, TypeRow } from "./rows.ts";

export interface Lanes {
  readonly types: Map<string, TypeRow>;
  readonly levels: Map<number, Level>;
  /** The levels with entries, highest priority first: all that a claim looks at. */
  readonly busy: Level[];
}

/** Stale entries that are cheaper to keep than to look for. */
const slack = 64;
/** Free places at the front of a lane that are cheaper to keep than to close. */
const gap = 1_024;

export function createLanes(): Lanes {
  return { types: new Map(), levels: new Map(), busy: [] };
}

export function laneFor(lanes: Lanes, typeName: string, priority: number): Lane {
  let level = lanes.levels.get(priority);
  if (level === undefined) {
    level = { priority, lanes: new Map(), entries: 0 };
    lanes.levels.set(priority, level);
  }
  const known = level.lanes.get(typeName);
  if (known !== undefined) return known;
  const type = typeFor(lanes, typeName);
  const lane: Lane = { type, level, rows: [], head: 0, older: createHeap(), live: 0 };
  level.lanes.set(typeName, lane);
  type.lanes.push(lane);
  type.lanes.sort((left, right) => right.level.priority - left.level.priority);
  return lane;
}

export function enterLane(lanes: Lanes, row: JobRow): void {
  const { lane } = row;
  lane.live += 1;
  if (row.queued) return;
  row.queued = true;
  addEntries(lanes, lane.level, 1);
  const youngest = lane.rows[lane.rows.length - 1];
  if (youngest === undefined || youngest.position < row.position) lane.rows.push(row);
  else pushHeap(lane.older, row.position, row);
}

/** Says that a row is ready no more; its entry stays behind, or has been taken before. */
export function leaveLane(lanes: Lanes, lane: Lane): void {
  lane.live -= 1;
  const before = lane.rows.length - lane.head + lane.older.items.length;
  if (before <= 2 * lane.live + slack) return;
  lane.rows = lane.rows.filter((row) => row !== undefined && keepEntry(row));
  lane.head = 0;
  keepInHeap(lane.older, keepEntry);
  addEntries(lanes, lane.level, lane.rows.length + lane.older.items.length - before);
}

/** Takes the oldest ready row; it still counts as one of the lane's. */
export function takeOldest(lanes: Lanes, lane: Lane): JobRow | undefined {
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
    row.queued = false;
    addEntries(lanes, lane.level, -1);
    if (row.status === "ready") return row;
  }
}

function typeFor(lanes: Lanes, name: string): TypeRow {
  const known = lanes.types.get(name);
  if (known !== undefined) return known;
  const type: TypeRow = {
    name,
    counts: { blocked: 0, scheduled: 0, ready: 0, running: 0, completed: 0, failed: 0, cancelled: 0 },
    scheduled: createLazyHeap((row, key) => row.status === "scheduled" && row.readyAt === key),
    leases: createLazyHeap((row, key) => row.status === "running" && row.lease?.until === key),
    lanes: [],
  };
  lanes.types.set(name, type);
  return type;
}

/** Counts a level's entries; a level that has none stands not among the busy ones. */
function addEntries({ busy }: Lanes, level: Level, change: number): void {
  if (change === 0) return;
  const before = level.entries;
  level.entries = before + change;
  if (before === 0) {
    const below = busy.findIndex((other) => other.priority < level.priority);
    busy.splice(below < 0 ? busy.length : below, 0, level);
  } else if (level.entries === 0) {
    busy.splice(busy.indexOf(level), 1);
  }
}

function keepEntry(row: JobRow): boolean {
  row.queued = row.status === "ready";
  return row.queued;
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
