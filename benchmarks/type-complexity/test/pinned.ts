/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_612,
  "linear 10": 5_631,
  "linear 50": 13_206,
  "linear 100": 22_666,
  "linear 500": 98_416,
  "branched 4 x 3": 19_468,
  "branched 2 x 6": 27_238,
  "blockers 8": 13_722,
  "blockers 25": 35_778,
  "loop 20": 8_360,
  "loop 50": 15_112,
  "merge 2 x 50": 22_000,
  "merge 5 x 50": 47_290,
  "merge 10 x 50": 89_520,
  "merge 20 x 50": 174_280,
  "merge 50 x 50": 430_960,
  "structural 100 to all": 56_235,
  "structural 400 to all": 212_535,
  "structural 800 to all": 420_935,
  "structural 25 to one": 25_108,
  "structural 100 to one": 193_768,
  application: 374_353,
};
