import type { Tally } from "./job-types.ts";

/** Counts reports about paths by reason: a hundred thousand symbolic links are one line. */
export interface TallyBook {
  add(reason: string, path: string): void;
  list(): Tally[];
}

/** The number of example paths per reason. */
const keep = 3;

/** @param before the tallies that it goes on from. */
export function createTallyBook(before: readonly Tally[] = []): TallyBook {
  const tallies = new Map<string, Tally>(before.map((tally) => [tally.reason, structuredClone(tally)]));
  return {
    add(reason, path) {
      const tally = tallies.get(reason) ?? { reason, count: 0, examples: [] };
      tally.count += 1;
      if (tally.examples.length < keep) tally.examples.push(path);
      tallies.set(reason, tally);
    },
    list: () => [...tallies.values()],
  };
}
