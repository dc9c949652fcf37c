import { isOpen, opensAt } from "./gates.ts";
import { createLazyHeap, enterHeap, leaveHeap, peekKey, takeUpTo } from "./lazy-heap.ts";
import { keptPlaces } from "./row-types.ts";
import type { ClosedLanes, Gate, JobRow, LimitLane, LimitStore, TypeRow } from "./row-types.ts";

/** Above all priorities of jobs. */
export const keptPriority = 32_768;
/** Turns that fit beside a priority in an exact number. */
const turns = 2 ** 36;

/** Called for a row with limits once it has a new status. */
export function enterLimits(limits: LimitStore, row: JobRow, lane: LimitLane): void {
  if (row.endedAt !== undefined || row.status === "removed") return;
  lane.members += 1;
  const isKept = row.lease === keptPlaces;
  if (hasPlaces(row)) for (const { holders } of lane.gates) holders.add(row);
  if (row.status !== "ready" || (row.lease !== undefined && !isKept)) return;
  lane.live += 1;
  limits.waiting += 1;
  limits.isFresh = true;
  if (!isKept) countWaiting(lane, 1);
  if (lane.state === undefined) nextTurn(limits, lane);
  // A job that has its places may get through where the lane's others do not, and a higher priority moves the lane.
  const gate = isKept ? undefined : lane.state?.gate;
  if (lane.state !== undefined && lane.state.at === placeOf(lane) && lane.state.gate === gate) return;
  withdraw(lane);
  queue(lane, gate);
}

/** Called before a row with limits gets a new status. */
export function leaveLimits(limits: LimitStore, row: JobRow, lane: LimitLane): void {
  if (row.endedAt !== undefined || row.status === "removed") return;
  lane.members -= 1;
  if (lane.members === 0) limits.idleLanes.add(lane);
  const isKept = row.lease === keptPlaces;
  if (hasPlaces(row)) {
    for (const gate of lane.gates) {
      gate.holders.delete(row);
      if (gate.closed.size > 0) limits.freed.add(gate);
    }
  }
  if (row.status !== "ready" || (row.lease !== undefined && !isKept)) return;
  lane.live -= 1;
  limits.waiting -= 1;
  if (!isKept) countWaiting(lane, -1);
}

/** Whether an open job holds the places of its limits: from its first lease on, until it is put back. */
export function hasPlaces({ status, lease }: JobRow): boolean {
  return status === "running" || ((status === "ready" || status === "scheduled") && lease !== undefined);
}

/** Takes an open lane out while a claim visits it. Undefined: none has this priority. */
export function takeLane(type: TypeRow, priority: number): LimitLane | undefined {
  if (type.limits === undefined || openPriority(type) !== priority) return undefined;
  const lane = takeUpTo(type.limits.open, Infinity);
  if (lane !== undefined) withdraw(lane);
  return lane;
}

/** The priority of the open lane that comes first. */
export function openPriority({ limits }: TypeRow): number | undefined {
  const at = limits && peekKey(limits.open);
  return at === undefined ? undefined : keptPriority - Math.floor(at / turns);
}

/** Gives a lane that has been visited back to claims, if jobs wait in it. */
export function putBackLane(lane: LimitLane): void {
  if (lane.live > 0) queue(lane, undefined);
}

/** Takes a lane out of what claims visit, until the gate has room. One that was given nothing in its turn keeps it. */
export function closeLane(limits: LimitStore, lane: LimitLane, { gate, now }: { gate: Gate; now: number }): void {
  if (lane.took > 0) nextTurn(limits, lane);
  queue(lane, gate);
  watch(closedBy(gate, lane.type), now);
}

/** Opens the first lane that a gate has closed for a type, if the gate has room for it; otherwise sees to it that it is looked at again. */
export function openNext(closed: ClosedLanes, now: number): void {
  const { gate, lanes } = closed;
  if (peekKey(lanes) === undefined) return;
  const [lane] = lanes.items;
  if (lane !== undefined && isOpen(gate, lane.kept.live > 0, now)) {
    withdraw(lane);
    queue(lane, undefined);
  } else {
    watch(closed, now);
  }
}

interface Opening {
  readonly now: number;
  /** How many jobs the claim can take: of each gate as many lanes open, so that each comes in its turn. */
  readonly most: number;
}

/** Opens lanes whose gates were freed, or open by themselves by now. */
export function openLanes({ freed }: LimitStore, types: readonly TypeRow[], { now, most }: Opening): void {
  for (const gate of freed) for (const closed of gate.closed.values()) openSeveral(closed, { now, most });
  freed.clear();
  for (const { limits } of types) {
    if (limits === undefined) continue;
    for (let due = takeUpTo(limits.looks, now); due !== undefined; due = takeUpTo(limits.looks, now)) {
      leaveHeap(limits.looks);
      due.lookAt = undefined;
      openSeveral(due, { now, most });
    }
  }
}

function openSeveral(closed: ClosedLanes, { now, most }: Opening): void {
  const { lanes } = closed;
  for (let opened = 0; opened < Math.max(1, most) && lanes.live > 0; opened += 1) {
    const { live } = lanes;
    openNext(closed, now);
    if (lanes.live === live) return;
  }
}

export function nextTurn(limits: LimitStore, lane: LimitLane): void {
  limits.turn += 1;
  lane.turn = limits.turn;
  lane.took = 0;
}

/** Puts a lane where claims find it, or where its gate does. */
function queue(lane: LimitLane, gate: Gate | undefined): void {
  const { limits } = lane.type;
  if (limits === undefined) return;
  lane.state = { at: placeOf(lane), weight: lane.weight, gate };
  if (gate === undefined) limits.openWeight += lane.weight;
  enterHeap(gate === undefined ? limits.open : closedBy(gate, lane.type).lanes, lane.state.at, lane);
}

function withdraw(lane: LimitLane): void {
  const { state, type } = lane;
  if (state === undefined || type.limits === undefined) return;
  lane.state = undefined;
  if (state.gate === undefined) {
    type.limits.openWeight -= state.weight;
    leaveHeap(type.limits.open);
    return;
  }
  const closed = closedBy(state.gate, type);
  leaveHeap(closed.lanes);
  if (closed.lanes.live > 0 || closed.lookAt === undefined) return;
  closed.lookAt = undefined;
  leaveHeap(type.limits.looks);
}

/** Makes sure that a gate that opens by itself is looked at then. */
function watch(closed: ClosedLanes, now: number): void {
  const [lane] = closed.lanes.items;
  const lookAt = closed.lanes.live > 0 ? opensAt(closed.gate, now) : undefined;
  const looks = lane?.type.limits?.looks;
  if (lookAt === undefined || lookAt === closed.lookAt || looks === undefined) return;
  if (closed.lookAt !== undefined) leaveHeap(looks);
  closed.lookAt = lookAt;
  enterHeap(looks, lookAt, closed);
}

function placeOf({ busy, turn }: LimitLane): number {
  return (keptPriority - (busy[0]?.priority ?? 0)) * turns + turn;
}

function closedBy(gate: Gate, type: TypeRow): ClosedLanes {
  const known = gate.closed.get(type);
  if (known !== undefined) return known;
  const lanes = createLazyHeap<LimitLane>(({ state }, at) => state?.gate === gate && state.at === at);
  const closed: ClosedLanes = { gate, lanes, lookAt: undefined };
  gate.closed.set(type, closed);
  return closed;
}

function countWaiting({ type, gates }: LimitLane, by: 1 | -1): void {
  if (type.limits !== undefined) type.limits.waiting += by;
  for (const gate of gates) gate.waiting += by;
}

export function createLimits(): LimitStore {
  return {
    rows: new Map(),
    isFresh: false,
    isFirst: false,
    turn: 0,
    token: 0,
    waiting: 0,
    freed: new Set(),
    idleLanes: new Set(),
    idleGates: new Set(),
  };
}
