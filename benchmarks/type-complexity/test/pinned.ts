/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_634,
  "linear 10": 5_600,
  "linear 50": 13_055,
  "linear 100": 22_365,
  "linear 500": 96_915,
  "branched 4 x 3": 18_958,
  "branched 2 x 6": 26_602,
  "blockers 8": 13_378,
  "blockers 25": 34_630,
  "loop 20": 8_271,
  "loop 50": 14_921,
  "merge 2 x 50": 21_576,
  "merge 5 x 50": 46_404,
  "merge 10 x 50": 87_864,
  "merge 20 x 50": 171_084,
  "merge 50 x 50": 423_144,
  application: 358_418,
};
