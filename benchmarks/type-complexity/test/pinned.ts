/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_712,
  "linear 10": 5_692,
  "linear 50": 13_227,
  "linear 100": 22_637,
  "linear 500": 97_987,
  "branched 4 x 3": 19_454,
  "branched 2 x 6": 27_182,
  "blockers 8": 13_589,
  "blockers 25": 35_164,
  "loop 20": 8_391,
  "loop 50": 15_101,
  "merge 2 x 50": 21_834,
  "merge 5 x 50": 46_920,
  "merge 10 x 50": 88_810,
  "merge 20 x 50": 172_890,
  "merge 50 x 50": 427_530,
  application: 357_835,
};
