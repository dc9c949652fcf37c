import type { LimitKey } from "../../model/limit.ts";
import type { LimitDeclaration, LimitQuery, LimitRecord } from "../../ports/limit.ts";
import { openBreaker } from "../../rules/breaker.ts";
import { createGate, opensAt, pauseEnd, ruleOf } from "../gates.ts";
import type { LimitRow } from "../row-types.ts";
import type { Store } from "../store.ts";

export function listLimits(store: Store, query: LimitQuery, now: number): readonly LimitRecord[] {
  const { rows } = store.limits;
  if (query.keys !== undefined)
    return query.keys.slice(0, query.limit).map((key) => toRecord(rows.get(key.limit), key, now));
  const records: LimitRecord[] = [];
  for (const name of [...rows.keys()].sort()) {
    const row = rows.get(name);
    for (const key of keysOf(row, query)) {
      if (records.length >= query.limit) return records;
      const record = toRecord(row, { limit: name, key }, now);
      if (query.isBusy !== true || isBusy(record)) records.push(record);
    }
  }
  return records;
}

export function listLimitDeclarations(
  { limits }: Store,
  _request: undefined,
  now: number,
): readonly LimitDeclaration[] {
  return [...limits.rows.values()]
    .filter(({ said }) => said.isKnown)
    .map(({ name, said: { declared, codeVersion, override, pausedUntil = 0 } }) => ({
      limit: name,
      declared,
      codeVersion,
      override,
      pausedUntil: pausedUntil > now ? pausedUntil : undefined,
    }))
    .sort((left, right) => (left.limit < right.limit ? -1 : 1));
}

/** The keys of a limit that a query may be about: those in use, and those that have an override or a pause. */
function keysOf(row: LimitRow | undefined, { limitName, after }: LimitQuery): readonly string[] {
  if (row === undefined || (limitName !== undefined && row.name !== limitName)) return [];
  const keys = [...new Set([...row.gates.keys(), ...row.keys.keys()])];
  if (after === undefined || row.name > after.limit) return keys.sort();
  return row.name < after.limit ? [] : keys.filter((key) => key > after.key).sort();
}

function isBusy({ waiting, pausedUntil, breaker }: LimitRecord): boolean {
  return waiting > 0 || pausedUntil !== undefined || breaker !== undefined;
}

function toRecord(row: LimitRow | undefined, { limit, key }: LimitKey, now: number): LimitRecord {
  const gate = row?.gates.get(key);
  const at = row && opensAt(gate ?? createGate(row, key), now);
  return {
    limit,
    key,
    running: gate?.holders.size ?? 0,
    waiting: gate?.waiting ?? 0,
    rule: row && ruleOf(row, key),
    declared: row?.said.declared,
    isOverridden: row?.said.override !== undefined || row?.keys.get(key)?.override !== undefined,
    pausedUntil: row && pauseEnd(row, key, now),
    breaker: openBreaker(row?.keys.get(key)?.breaker),
    opensInMs: at === undefined || at === Infinity ? undefined : at - now,
  };
}
