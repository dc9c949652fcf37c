/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 4_323,
  "linear 10": 6_312,
  "linear 50": 13_647,
  "linear 100": 22_807,
  "linear 500": 96_157,
  "signals 100": 25_936,
  "versioned 50": 26_171,
  "branched 4 x 3": 19_706,
  "branched 2 x 6": 27_220,
  "blockers 8": 15_218,
  "blockers 25": 38_957,
  "loop 20": 8_975,
  "loop 50": 15_547,
  "merge 2 x 50": 22_344,
  "merge 5 x 50": 47_241,
  "merge 10 x 50": 88_936,
  "merge 20 x 50": 173_076,
  "merge 50 x 50": 431_496,
  "structural 100 to all": 60_446,
  "structural 400 to all": 227_246,
  "structural 800 to all": 449_646,
  "structural 25 to one": 23_156,
  "structural 100 to one": 138_866,
  application: 398_278,
};
