import { expect, it } from "vitest";
import { listChains } from "../../src/in-process/operations/list-chains.ts";
import { createRows } from "../../src/in-process/rows.ts";
import { createStore } from "../../src/in-process/store.ts";
import type { ChainQuery } from "../../src/ports/query.ts";
import { randomFrom } from "./random-calls.ts";
import { start } from "../../src/rules/begin.ts";
import { remove } from "../../src/rules/change.ts";

const everything: ChainQuery = {
  after: undefined,
  limit: 100,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
};

/** Enough for several chunks, written and deleted in random order. */
it("pages through ids in their order, although they were added and removed in random order", () => {
  const random = randomFrom(1);
  const store = createStore();
  const rows = createRows(store);
  const expected = new Set<string>();
  for (let at = 0; at < 6_000; at += 1) {
    const id = String(random(1_000_000)).padStart(6, "0");
    const one = { id, typeName: "a", input: "1", priority: 0, schedule: undefined, blockers: [] };
    const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
    start(rows, [{ starts: [{ ...one, ...rest }] }], 0);
    expected.add(id);
    if (random(3) > 0) continue;
    const [gone] = [...expected].slice(random(expected.size));
    if (gone === undefined) continue;
    remove(rows, { chainIds: [gone], cascade: false }, 0);
    expected.delete(gone);
  }
  const sorted = [...expected].sort();
  expect(pages("ascending")).toEqual(sorted);
  expect(pages("descending")).toEqual(sorted.reverse());
  // The row of a cursor may have been removed.
  const between = listChains(store, { ...everything, after: "5", limit: 1 });
  expect(between.map(({ id }) => id)).toEqual(
    [...expected]
      .sort()
      .filter((id) => id > "5")
      .slice(0, 1),
  );
  expect(listChains(store, { ...everything, after: "0", order: "descending" })).toEqual([]);
  expect(listChains(store, { ...everything, after: "9999999" })).toEqual([]);

  function pages(order: "ascending" | "descending"): string[] {
    const ids: string[] = [];
    for (;;) {
      const page = listChains(store, { ...everything, order, after: ids.at(-1) });
      if (page.length === 0) return ids;
      ids.push(...page.map(({ id }) => id));
    }
  }
});
