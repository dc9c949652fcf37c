/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_732,
  "linear 10": 5_765,
  "linear 50": 13_340,
  "linear 100": 22_800,
  "linear 500": 98_550,
  "versioned 50": 25_892,
  "branched 4 x 3": 19_609,
  "branched 2 x 6": 27_375,
  "blockers 8": 14_354,
  "blockers 25": 37_532,
  "loop 20": 8_494,
  "loop 50": 15_246,
  "merge 2 x 50": 22_299,
  "merge 5 x 50": 47_997,
  "merge 10 x 50": 91_027,
  "merge 20 x 50": 177_837,
  "merge 50 x 50": 444_267,
  "structural 100 to all": 58_853,
  "structural 400 to all": 222_653,
  "structural 800 to all": 441_053,
  "structural 25 to one": 22_488,
  "structural 100 to one": 137_973,
  application: 388_446,
};
