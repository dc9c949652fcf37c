/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_731,
  "linear 10": 5_764,
  "linear 50": 13_339,
  "linear 100": 22_799,
  "linear 500": 98_549,
  "branched 4 x 3": 19_608,
  "branched 2 x 6": 27_374,
  "blockers 8": 14_353,
  "blockers 25": 37_531,
  "loop 20": 8_493,
  "loop 50": 15_245,
  "merge 2 x 50": 22_272,
  "merge 5 x 50": 47_976,
  "merge 10 x 50": 91_016,
  "merge 20 x 50": 177_846,
  "merge 50 x 50": 444_336,
  "structural 100 to all": 58_975,
  "structural 400 to all": 223_075,
  "structural 800 to all": 441_875,
  "structural 25 to one": 25_898,
  "structural 100 to one": 196_508,
  application: 395_415,
};
