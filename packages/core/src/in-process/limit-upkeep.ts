import { nothing } from "../rules/replies.ts";
import { hasRestingTokens } from "./gates.ts";
import { removePassedFacts } from "./limit-facts.ts";
import { setRegistered } from "./lane-of.ts";
import { keptPlaces, statusAt } from "./row-types.ts";
import type { JobRow, LimitLane } from "./row-types.ts";
import { enter, leave } from "./store.ts";
import type { Store } from "./store.ts";

/** A job that no worker can take over gives its places back after this time. */
const abandonedMs = 60_000;

/** Removes what limits leave behind, and frees the places of jobs that no live worker takes. Reports whether there is more to do. */
export function keepLimits(store: Store, limit: number, now: number): boolean {
  removePassedFacts(store, now);
  const isCut = giveBackAbandoned(store, limit, now);
  return removeLanes(store, limit) || removeGates(store, limit, now) || isCut;
}

function removeLanes(store: Store, limit: number): boolean {
  const { limits } = store;
  let looked = 0;
  for (const lane of limits.idleLanes) {
    if (looked === limit) return true;
    looked += 1;
    limits.idleLanes.delete(lane);
    if (lane.members > 0) continue;
    setRegistered(lane.type, lane, false);
    store.changes?.others.push(["lane", lane.type.claimName, lane.name]);
    for (const gate of lane.gates) if (gate.lanes === 0) limits.idleGates.add(gate);
    store.journal?.push(() => {
      setRegistered(lane.type, lane, true);
      limits.idleLanes.add(lane);
    });
  }
  return false;
}

/** A gate whose tokens rest has to stay until they can be used again: it is looked at after the others, which the next pass sees. */
function removeGates(store: Store, limit: number, now: number): boolean {
  const { limits } = store;
  const before = limits.idleGates.size;
  let looked = 0;
  for (const gate of limits.idleGates) {
    if (looked === Math.min(limit, before)) break;
    looked += 1;
    limits.idleGates.delete(gate);
    if (gate.lanes > 0) continue;
    if (hasRestingTokens(gate, now)) {
      limits.idleGates.add(gate);
      continue;
    }
    limits.freed.delete(gate);
    gate.limit.gates.delete(gate.key);
    for (const token of gate.tokens.items) store.changes?.others.push(["token", gate.limit.name, gate.key, token]);
    const { limit: row } = gate;
    const isUnknown = !row.said.isKnown && row.gates.size === 0;
    if (isUnknown) limits.rows.delete(row.name);
    store.journal?.push(() => {
      if (isUnknown) limits.rows.set(row.name, row);
      row.gates.set(gate.key, gate);
      limits.idleGates.add(gate);
    });
  }
  return before > limit && limits.idleGates.size < before;
}

/** A type that no worker takes any more must not keep a gate shut that other types share. */
function giveBackAbandoned(store: Store, limit: number, now: number): boolean {
  const types = [...store.lanes.types.values()].filter(({ name }) => !isServed(store, name, now));
  const lanes = types.flatMap(({ limits }) => [...(limits?.lanes.values() ?? nothing)]);
  const rows = lanes.flatMap((lane) => abandonedIn(lane, now));
  for (const row of rows.slice(0, limit)) giveBack(store, row, now);
  return rows.length > limit;
}

function isServed({ workers }: Store, typeName: string, now: number): boolean {
  return [...workers.values()].some(
    ({ worker, aliveUntil }) => aliveUntil > now && worker.typeNames.includes(typeName),
  );
}

function abandonedIn({ type, gates }: LimitLane, now: number): readonly JobRow[] {
  return [...(gates[0]?.holders ?? [])].filter((row) => {
    if (row.lane.type !== type || row.lease === undefined || statusAt(row, now) !== "ready") return false;
    return (row.lease === keptPlaces ? row.readyAt : row.lease.until) <= now - abandonedMs;
  });
}

function giveBack(store: Store, row: JobRow, now: number): void {
  leave(store, row);
  row.status = "ready";
  row.readyAt = Math.min(now, row.lease === keptPlaces ? row.readyAt : (row.lease?.until ?? now));
  row.lease = undefined;
  enter(store, row);
}
