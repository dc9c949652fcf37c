import { isBreakerPast } from "../rules/breaker.ts";
import type { KeyFacts, LimitFacts } from "./limit-said.ts";
import type { Gate, LimitRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** Says what counts for one key, or for all keys if `key` is undefined. */
export function setFacts(
  store: Store,
  row: LimitRow,
  key: string | undefined,
  facts: Partial<LimitFacts> & KeyFacts,
): void {
  const before = key === undefined ? row.said : row.keys.get(key);
  put(store, row, { key, facts });
  if (key === undefined) store.changes?.others.push(["limit", row.name]);
  else store.changes?.others.push(["limitKey", row.name, key]);
  store.journal?.push(() => {
    put(store, row, { key, facts: before });
  });
}

/** Removes the pauses and the breakers whose time has passed. */
export function removePassedFacts(store: Store, now: number): void {
  for (const row of store.limits.rows.values()) {
    if ((row.said.pausedUntil ?? Infinity) <= now)
      setFacts(store, row, undefined, { ...row.said, pausedUntil: undefined });
    for (const [key, facts] of row.keys)
      if ((facts.pausedUntil ?? Infinity) <= now) setFacts(store, row, key, { ...facts, pausedUntil: undefined });
    for (const [key, facts] of row.keys)
      if (facts.breaker !== undefined && isBreakerPast(facts.breaker, now))
        setFacts(store, row, key, { ...facts, breaker: undefined });
  }
}

interface Said {
  readonly key: string | undefined;
  readonly facts: (Partial<LimitFacts> & KeyFacts) | undefined;
}

function put(store: Store, row: LimitRow, { key, facts }: Said): void {
  if (key === undefined) {
    if (facts !== undefined) row.said = { ...row.said, ...facts };
    for (const gate of row.gates.values()) free(store, gate);
    return;
  }
  if (facts === undefined || isEmpty(facts)) row.keys.delete(key);
  else row.keys.set(key, facts);
  const gate = row.gates.get(key);
  if (gate !== undefined) free(store, gate);
}

function isEmpty({ override, pausedUntil, breaker }: KeyFacts): boolean {
  return override === undefined && pausedUntil === undefined && breaker === undefined;
}

/** The next claim looks whether the gate has room. */
function free({ limits }: Store, gate: Gate): void {
  if (gate.closed.size > 0) limits.freed.add(gate);
}
