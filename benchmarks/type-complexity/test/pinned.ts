/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_605,
  "linear 10": 5_644,
  "linear 50": 13_259,
  "linear 100": 22_769,
  "linear 500": 98_919,
  "branched 4 x 3": 19_563,
  "branched 2 x 6": 27_371,
  "blockers 8": 14_253,
  "blockers 25": 37_499,
  "loop 20": 8_384,
  "loop 50": 15_166,
  "merge 2 x 50": 22_234,
  "merge 5 x 50": 47_980,
  "merge 10 x 50": 91_090,
  "merge 20 x 50": 178_060,
  "merge 50 x 50": 444_970,
  "structural 100 to all": 55_513,
  "structural 400 to all": 209_713,
  "structural 800 to all": 415_313,
  "structural 25 to one": 21_548,
  "structural 100 to one": 134_633,
  application: 374_380,
};
