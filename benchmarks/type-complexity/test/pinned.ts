/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 4_264,
  "linear 10": 6_253,
  "linear 50": 13_588,
  "linear 100": 22_748,
  "linear 500": 98_098,
  "signals 100": 25_877,
  "versioned 50": 26_112,
  "branched 4 x 3": 19_647,
  "branched 2 x 6": 27_161,
  "blockers 8": 15_151,
  "blockers 25": 38_873,
  "loop 20": 8_916,
  "loop 50": 15_488,
  "merge 2 x 50": 22_277,
  "merge 5 x 50": 48_150,
  "merge 10 x 50": 90_805,
  "merge 20 x 50": 176_865,
  "merge 50 x 50": 441_045,
  "structural 100 to all": 60_287,
  "structural 400 to all": 226_787,
  "structural 800 to all": 448_787,
  "structural 25 to one": 23_073,
  "structural 100 to one": 138_708,
  application: 423_233,
};
