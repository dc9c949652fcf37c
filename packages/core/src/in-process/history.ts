import { addTotals, historySpans, noAttempts } from "../model/history.ts";
import type { CountedAttempts, HistoryQuery, HistoryReply } from "../ports/history.ts";
import type { HistoryRow } from "./history-row.ts";
import type { Store } from "./store.ts";

type Place = Pick<HistoryRow, "everyMs" | "at" | "typeName">;

/** The key of a row in the table. */
export function historyKey({ everyMs, at, typeName }: Place): string {
  return `${everyMs} ${at} ${typeName}`;
}

/** Adds what a worker has counted to the totals of this moment. */
export function addCounted(store: Store, counted: readonly CountedAttempts[], now: number): void {
  for (const { everyMs } of historySpans) {
    for (const { typeName, ...totals } of counted) {
      const place = { everyMs, at: now - (now % everyMs), typeName };
      const known = store.history.get(historyKey(place));
      setTotals(store, place, { ...place, ...addTotals(known ?? noAttempts, totals) });
    }
  }
}

export function readHistory(store: Store, { everyMs, forMs, typeName }: HistoryQuery, now: number): HistoryReply {
  const totals = [...store.history.values()]
    .filter((row) => row.everyMs === everyMs && row.typeName === typeName && row.at > now - forMs - everyMs)
    .map(({ at, completed, failed, retried, longestWaitMs, runTimes }) => {
      return { at, completed, failed, retried, longestWaitMs, runTimes };
    })
    .sort((one, other) => one.at - other.at);
  return { now, totals };
}

/** Deletes up to so many totals that are too old. Returns whether there may be more. */
export function forgetHistory(store: Store, limit: number, now: number): boolean {
  const keptMs = new Map(historySpans.map((span) => [span.everyMs, span.keptMs]));
  let forgotten = 0;
  for (const row of store.history.values()) {
    if (row.at > now - (keptMs.get(row.everyMs) ?? 0)) continue;
    if (forgotten === limit) return true;
    setTotals(store, row, undefined);
    forgotten += 1;
  }
  return false;
}

/** `row` undefined: forgets it. */
function setTotals(store: Store, place: Place, row: HistoryRow | undefined): void {
  const key = historyKey(place);
  const before = store.history.get(key);
  put(store, key, row);
  store.changes?.others.push(["history", place.everyMs, place.at, place.typeName]);
  store.journal?.push(() => {
    put(store, key, before);
  });
}

function put({ history }: Store, key: string, row: HistoryRow | undefined): void {
  if (row === undefined) history.delete(key);
  else history.set(key, row);
}
