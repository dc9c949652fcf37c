import type { Floor } from "../row.ts";

/** A map of rows whose payloads went through JSON, and a queue of their keys. */
export function memoryFloor(): Floor {
  const rows = new Map<number, { readonly payload: string; taken: boolean }>();
  let written = 0;
  let taken = 0;
  const insert = (payload: string): void => {
    written += 1;
    rows.set(written, { payload: JSON.stringify(JSON.parse(payload)), taken: false });
  };
  const exchange = (most: number): number => {
    const until = Math.min(written, taken + most);
    const from = taken;
    for (; taken < until; taken += 1) {
      const row = rows.get(taken + 1);
      if (row !== undefined) row.taken = true;
      rows.delete(taken + 1);
    }
    return taken - from;
  };
  return {
    insertOne: async (payload) => insert(payload),
    insertHundred: async (payload) => {
      for (let count = 0; count < 100; count += 1) insert(payload);
    },
    emptyTransaction: async () => undefined,
    exchangeHundred: async () => exchange(100),
    claimAndSettle: async (count) => {
      for (let left = count; left > 0; left -= 1) exchange(1);
    },
  };
}
