/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 4_241,
  "linear 10": 6_273,
  "linear 50": 13_808,
  "linear 100": 23_218,
  "linear 500": 98_568,
  "signals 100": 29_212,
  "versioned 50": 26_332,
  "branched 4 x 3": 20_042,
  "branched 2 x 6": 27_766,
  "blockers 8": 15_575,
  "blockers 25": 40_283,
  "loop 20": 8_991,
  "loop 50": 15_713,
  "merge 2 x 50": 22_742,
  "merge 5 x 50": 48_350,
  "merge 10 x 50": 91_230,
  "merge 20 x 50": 177_740,
  "merge 50 x 50": 443_270,
  "structural 100 to all": 62_693,
  "structural 400 to all": 236_393,
  "structural 800 to all": 467_993,
  "structural 25 to one": 23_664,
  "structural 100 to one": 141_099,
  application: 396_178,
};
