import type { ClaimKey } from "../model/claim-name.ts";
import type { JobLimit, LimitKey } from "../model/limit.ts";
import { createGate } from "./gates.ts";
import type { Changes } from "./changes.ts";
import { createLane, laneFor } from "./lanes.ts";
import type { Lanes } from "./lanes.ts";
import { createLazyHeap } from "./lazy-heap.ts";
import { keptPriority } from "./limit-lanes.ts";
import type { Gate, Lane, LimitLane, LimitRow, LimitStore, TypeLimits, TypeRow } from "./row-types.ts";

interface LaneStore {
  readonly lanes: Lanes;
  readonly limits: LimitStore;
  readonly changes: Changes | undefined;
}

/** The lane of a job that is written: with or without limits. */
export function laneOf(
  store: LaneStore,
  key: ClaimKey & { readonly limits?: readonly JobLimit[] | undefined },
  priority: number,
): Lane {
  const plain = laneFor(store.lanes, key, priority);
  if (key.limits === undefined) return plain;
  const lane = limitLaneFor(store.limits, plain.type, key.limits);
  const weight = key.limits.reduce((most, each) => Math.max(most, each.weight ?? 1), 1);
  setShares(store, lane, { weight, holds: key.limits.some(({ holds }) => holds === true) });
  return queueFor(lane, plain);
}

/** The lane of a job that is open again: maintenance may have removed it meanwhile. */
export function laneAgain(store: LaneStore, lane: Lane): Lane {
  if (lane.limited === undefined) return lane;
  const { plain } = lane.limited;
  const { limits: keys, weight, holds } = lane.limited.lane;
  const again = limitLaneFor(store.limits, plain.type, keys);
  setShares(store, again, { weight, holds });
  return queueFor(again, plain);
}

function setShares(store: LaneStore, lane: LimitLane, { weight, holds }: Pick<LimitLane, "weight" | "holds">): void {
  if (lane.weight === weight && lane.holds === holds) return;
  lane.weight = weight;
  lane.holds = holds;
  store.changes?.others.push(["lane", lane.type.claimName, lane.name]);
}

export function limitRow({ rows }: LimitStore, name: string): LimitRow {
  const known = rows.get(name);
  if (known !== undefined) return known;
  const said = {
    isKnown: false,
    declared: undefined,
    codeVersion: undefined,
    override: undefined,
    pausedUntil: undefined,
  };
  const row: LimitRow = { name, said, keys: new Map(), gates: new Map() };
  rows.set(name, row);
  return row;
}

/** Registers a lane again that maintenance removed, or removes it. */
export function setRegistered({ limits }: TypeRow, lane: LimitLane, isRegistered: boolean): void {
  for (const gate of lane.gates) gate.lanes += isRegistered ? 1 : -1;
  if (isRegistered) limits?.lanes.set(lane.name, lane);
  else limits?.lanes.delete(lane.name);
}

function limitLaneFor(limits: LimitStore, type: TypeRow, keys: readonly JobLimit[]): LimitLane {
  const own = (type.limits ??= createTypeLimits());
  const name = JSON.stringify(keys.map(({ limit, key }) => [limit, key]));
  const known = own.lanes.get(name);
  if (known !== undefined) return known;
  const busy: Lane[] = [];
  const lane: LimitLane = {
    type,
    name,
    limits: keys.map(({ limit, key }) => ({ limit, key })),
    gates: keys.map(({ limit, key }) => gateFor(limitRow(limits, limit), key)),
    weight: 1,
    holds: false,
    lanes: new Map(),
    busy,
    kept: createLane(type, { priority: keptPriority, among: busy, limited: undefined }),
    members: 0,
    live: 0,
    state: undefined,
    turn: 0,
    took: 0,
  };
  setRegistered(type, lane, true);
  // A start that is refused leaves it without a job.
  limits.idleLanes.add(lane);
  return lane;
}

/** The gate of a limit that may have no lane: maintenance removes it then. */
export function restoreGate(limits: LimitStore, { limit, key }: LimitKey): Gate {
  const gate = gateFor(limitRow(limits, limit), key);
  limits.idleGates.add(gate);
  return gate;
}

function createTypeLimits(): TypeLimits {
  return {
    lanes: new Map(),
    open: createLazyHeap(({ state }, at) => state?.gate === undefined && state?.at === at),
    openWeight: 0,
    looks: createLazyHeap((closed, at) => closed.lookAt === at),
    waiting: 0,
  };
}

function gateFor(limit: LimitRow, key: string): Gate {
  const known = limit.gates.get(key);
  if (known !== undefined) return known;
  const gate = createGate(limit, key);
  limit.gates.set(key, gate);
  return gate;
}

function queueFor(lane: LimitLane, plain: Lane): Lane {
  const { priority } = plain;
  const known = lane.lanes.get(priority);
  if (known !== undefined) return known;
  const created = createLane(lane.type, { priority, among: lane.busy, limited: { lane, plain } });
  lane.lanes.set(priority, created);
  return created;
}
