import type { Claim } from "../ports/exchange.ts";
import type { PausedType } from "../ports/pause.ts";
import type { PauseRow } from "./row-types.ts";
import type { Store } from "./store.ts";

/** `row` undefined: resumes the type. */
export function setPause(store: Store, typeName: string, row: PauseRow | undefined): void {
  const before = store.pauses.get(typeName);
  put(store, typeName, row);
  store.changes?.others.push(["pause", typeName]);
  store.journal?.push(() => {
    put(store, typeName, before);
  });
}

/** The pauses whose time has not passed, in the order of the types' names. */
export function pausesAt(store: Store, now: number): PausedType[] {
  if (store.pauses.size === 0) return [];
  return [...store.pauses.values()]
    .filter(({ until }) => until === undefined || until > now)
    .map((row) => ({ ...row, endsInMs: row.until === undefined ? undefined : row.until - now }))
    .sort((left, right) => (left.typeName < right.typeName ? -1 : 1));
}

/** A claim without the types that are paused, and the milliseconds until the first of these pauses ends by itself. */
export function unpaused(
  store: Store,
  claim: Claim,
  now: number,
): { readonly claim: Claim; readonly endsInMs: number } {
  const pauses = new Map(pausesAt(store, now).map((pause) => [pause.typeName, pause]));
  const types = claim.types.filter(({ typeName }) => !pauses.has(typeName));
  const ends = claim.types.map(({ typeName }) => pauses.get(typeName)?.endsInMs ?? Infinity);
  return { claim: { ...claim, types }, endsInMs: Math.min(Infinity, ...ends) };
}

/** Removes the pauses whose time has passed. */
export function removePassed(store: Store, now: number): void {
  for (const [typeName, { until }] of store.pauses)
    if (until !== undefined && until <= now) setPause(store, typeName, undefined);
}

function put({ pauses }: Store, typeName: string, row: PauseRow | undefined): void {
  if (row === undefined) pauses.delete(typeName);
  else pauses.set(typeName, row);
}
