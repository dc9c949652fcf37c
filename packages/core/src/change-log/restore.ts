import { heldKey } from "../model/held-key.ts";
import { takeKey } from "../in-process/deduplication.ts";
import { moveDeadline } from "../in-process/ends.ts";
import { setFacts } from "../in-process/limit-facts.ts";
import { limitRow, restoreGate } from "../in-process/lane-of.ts";
import { historyKey } from "../in-process/history.ts";
import { pushHeap } from "../in-process/heap.ts";
import type { JobRow } from "../in-process/row-types.ts";
import { addTick, replaceSchedule } from "../in-process/schedules.ts";
import { createStore, indexRow } from "../in-process/store.ts";
import type { Store } from "../in-process/store.ts";
import { rowsOf, type Collected } from "./collect.ts";
import { removedRow, restoreJobs } from "./restore-jobs.ts";
import { restoreNotes } from "./restore-notes.ts";
import { restoreSignals } from "./restore-signals.ts";
import {
  toHistory,
  toKeyFacts,
  toLimitFacts,
  toMoment,
  toPause,
  toRelease,
  toSchedule,
  toText,
  toTexts,
  toTick,
} from "./rows.ts";

/** Builds the store that a log has kept. What its ended process held is free: jobs that ran are ready again, their attempts counted. */
export function restoreStore(id: string, collected: Collected): Store {
  const store = createStore(id);
  restoreLimits(store, collected);
  restoreJobs(store, collected);
  for (const row of store.jobs.values()) enterJob(store, row);
  restoreKeys(store, collected);
  for (const { key, value } of rowsOf(collected, "pause")) store.pauses.set(toText(key[0]), toPause(value));
  for (const { key, value } of rowsOf(collected, "history")) {
    const row = toHistory(key, value);
    store.history.set(historyKey(row), row);
  }
  restoreSchedules(store, collected);
  restoreSignals(store, collected);
  restoreNotes(store, collected);
  restoreReleases(store, collected);
  store.limits.isFresh = true;
  return store;
}

function enterJob(store: Store, row: JobRow): void {
  indexRow(store, row);
  const { blocking, shared } = row;
  const deadlineAt = shared?.ends?.deadlineAt;
  if (deadlineAt !== undefined) moveDeadline(store, row, { from: undefined, to: deadlineAt });
  store.sequence = Math.max(store.sequence, row.position, blocking?.countedAt ?? 0);
}

function restoreLimits(store: Store, collected: Collected): void {
  for (const { key, value } of rowsOf(collected, "limit"))
    setFacts(store, limitRow(store.limits, toText(key[0])), undefined, toLimitFacts(value));
  for (const { key, value } of rowsOf(collected, "limitKey"))
    setFacts(store, limitRow(store.limits, toText(key[0])), toText(key[1]), toKeyFacts(value));
  for (const { key, value } of rowsOf(collected, "token")) {
    const token = toMoment(key[2]);
    const gate = restoreGate(store.limits, { limit: toText(key[0]), key: toText(key[1]) });
    pushHeap(gate.tokens, toMoment(value), token);
    store.limits.token = Math.max(store.limits.token, token);
  }
}

function restoreKeys(store: Store, collected: Collected): void {
  for (const { key, value } of rowsOf(collected, "key")) {
    const row = store.jobs.get(toText(value))?.shared?.deduplication;
    if (row !== undefined && heldKey(row) === key[0]) takeKey(store, row);
  }
}

function restoreSchedules({ schedules }: Store, collected: Collected): void {
  for (const { value } of rowsOf(collected, "schedule")) {
    const row = toSchedule(value);
    replaceSchedule(schedules, row.id, row);
  }
  const ticks = Array.from(rowsOf(collected, "tick"), ({ value }) => toTick(value));
  for (const tick of ticks.sort((left, right) => left.madeAt - right.madeAt)) addTick(schedules, tick);
}

/** In their order: the one that was looked at least recently is the first. */
function restoreReleases(store: Store, collected: Collected): void {
  const released = new Map(Array.from(rowsOf(collected, "released"), ({ key, value }) => [key[0], toTexts(value)]));
  for (const { key, value } of rowsOf(collected, "release")) {
    const chain = store.jobs.get(toText(key[0]));
    const { status, at, since } = toRelease(value);
    if (chain === undefined) continue;
    // The log goes on counting in the same list, so those that were deleted keep their places.
    const rows = (released.get(key[0]) ?? []).map((id) => store.jobs.get(id) ?? removedRow(id));
    store.releases.set(chain, { chain, status, rows, at, since });
    store.sequence = Math.max(store.sequence, since);
  }
}
