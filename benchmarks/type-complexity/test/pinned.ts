/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_558,
  "linear 10": 5_557,
  "linear 50": 13_132,
  "linear 100": 22_592,
  "linear 500": 98_342,
  "branched 4 x 3": 19_394,
  "branched 2 x 6": 27_164,
  "blockers 8": 13_521,
  "blockers 25": 35_164,
  "loop 20": 8_267,
  "loop 50": 15_007,
  "merge 2 x 50": 21_889,
  "merge 5 x 50": 47_434,
  "merge 10 x 50": 90_209,
  "merge 20 x 50": 176_509,
  "merge 50 x 50": 441_409,
  application: 364_669,
};
