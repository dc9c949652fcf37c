/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_800,
  "linear 10": 5_820,
  "linear 50": 13_395,
  "linear 100": 22_855,
  "linear 500": 98_605,
  "branched 4 x 3": 19_664,
  "branched 2 x 6": 27_430,
  "blockers 8": 14_379,
  "blockers 25": 37_557,
  "loop 20": 8_549,
  "loop 50": 15_301,
  "merge 2 x 50": 22_201,
  "merge 5 x 50": 47_512,
  "merge 10 x 50": 89_777,
  "merge 20 x 50": 174_607,
  "merge 50 x 50": 431_497,
  "structural 100 to all": 56_423,
  "structural 400 to all": 212_723,
  "structural 800 to all": 421_123,
  "structural 25 to one": 25_296,
  "structural 100 to one": 193_956,
  application: 374_820,
};
