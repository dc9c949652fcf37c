/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 4_252,
  "linear 10": 6_241,
  "linear 50": 13_576,
  "linear 100": 22_736,
  "linear 500": 96_086,
  "signals 100": 25_865,
  "versioned 50": 26_100,
  "branched 4 x 3": 19_635,
  "branched 2 x 6": 27_149,
  "blockers 8": 15_234,
  "blockers 25": 39_092,
  "loop 20": 8_904,
  "loop 50": 15_476,
  "merge 2 x 50": 22_265,
  "merge 5 x 50": 47_138,
  "merge 10 x 50": 88_793,
  "merge 20 x 50": 172_853,
  "merge 50 x 50": 431_033,
  "structural 100 to all": 62_109,
  "structural 400 to all": 234_009,
  "structural 800 to all": 463_209,
  "structural 25 to one": 23_533,
  "structural 100 to one": 140_518,
  application: 397_559,
};
