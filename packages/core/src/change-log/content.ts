import type { ChangedKey } from "../in-process/changes.ts";
import type { LimitRow } from "../in-process/row-types.ts";
import type { Store } from "../in-process/store.ts";
import type { Change } from "./change.ts";
import { nothing } from "../rules/replies.ts";
import { jobChange, rowChange } from "./encode.ts";

/**
 * All that a log has to keep of a store, one change after the other. The store may change meanwhile: what it does then is in the log
 * after this. `prepare` is called before each look, because the store must not hold what no transaction has committed.
 */
export function* contentOf(store: Store, prepare: () => void): Generator<Change, void> {
  prepare();
  for (const row of store.jobs.values()) {
    const change = jobChange(store, row, "whole");
    if (change !== undefined) yield change;
    prepare();
  }
  for (const keys of tablesOf(store)) {
    for (const key of keys) {
      const change = rowChange(store, key);
      // Without a value there is nothing to keep, except of a token.
      if (change !== key || key[0] === "token") yield change;
      prepare();
    }
  }
}

function tablesOf(store: Store): readonly Iterable<ChangedKey>[] {
  const { schedules, signals } = store;
  return [
    each(store.deduplications.keys(), (key) => [["key", key]]),
    each(store.history.values(), ({ everyMs, at, typeName }) => [["history", everyMs, at, typeName]]),
    each(store.pauses.keys(), (typeName) => [["pause", typeName]]),
    each(schedules.byId.keys(), (id) => [["schedule", id]]),
    each(schedules.made, ({ scheduleId, at }) => [["tick", scheduleId, at]]),
    each(signals.byChain, ([{ id }, { rows }]) => rows.map(({ position }): ChangedKey => ["signal", id, position])),
    each(signals.kept.keys(), (topic) => [["kept", topic]]),
    each(store.notes.byJob, ([{ id }, { memos, lines }]) => [
      ["note", id],
      ...Array.from(memos.keys(), (name): ChangedKey => ["memo", id, name]),
      ...lines.map(({ seq }): ChangedKey => ["line", id, seq]),
    ]),
    each(store.limits.rows.values(), keysOfLimit),
    each(store.lanes.types.values(), ({ claimName, limits }) =>
      each(limits?.lanes.keys() ?? nothing, (name) => [["lane", claimName, name]]),
    ),
    each(store.releases.keys(), ({ id }) => [
      ["release", id],
      ["released", id],
    ]),
  ];
}

function* keysOfLimit({ name, keys, gates }: LimitRow): Generator<ChangedKey> {
  yield ["limit", name];
  for (const key of keys.keys()) yield ["limitKey", name, key];
  for (const { key, tokens } of gates.values())
    for (const [index, token] of [...tokens.items].entries())
      yield ["token", name, key, token, tokens.keys[index] ?? 0];
}

function* each<Item>(items: Iterable<Item>, keysOf: (item: Item) => Iterable<ChangedKey>): Generator<ChangedKey> {
  for (const item of items) yield* keysOf(item);
}
