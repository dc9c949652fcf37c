/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_416,
  "linear 10": 5_454,
  "linear 50": 13_069,
  "linear 100": 22_579,
  "linear 500": 98_729,
  "branched 4 x 3": 19_366,
  "branched 2 x 6": 27_178,
  "blockers 8": 13_595,
  "blockers 25": 35_719,
  "loop 20": 8_194,
  "loop 50": 14_976,
  "merge 2 x 50": 22_032,
  "merge 5 x 50": 47_757,
  "merge 10 x 50": 90_832,
  "merge 20 x 50": 177_732,
  "merge 50 x 50": 444_432,
  "structural 100 to all": 55_324,
  "structural 400 to all": 209_524,
  "structural 800 to all": 415_124,
  "structural 25 to one": 21_359,
  "structural 100 to one": 134_444,
  application: 373_912,
};
