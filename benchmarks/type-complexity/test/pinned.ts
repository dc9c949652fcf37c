/**
 * Instantiations of each scenario with TypeScript 7, single-threaded. They are exact and the same on every machine. Who
 * changes the types takes over the new counts, and says in the commit what they are paid for.
 */
export const pinned: Readonly<Record<string, number>> = {
  "linear 1": 3_549,
  "linear 10": 5_506,
  "linear 50": 12_961,
  "linear 100": 22_271,
  "linear 500": 96_821,
  "branched 4 x 3": 18_864,
  "branched 2 x 6": 26_508,
  "blockers 8": 13_179,
  "blockers 25": 34_176,
  "loop 20": 8_177,
  "loop 50": 14_827,
  "merge 2 x 50": 21_482,
  "merge 5 x 50": 46_310,
  "merge 10 x 50": 87_770,
  "merge 20 x 50": 170_990,
  "merge 50 x 50": 423_050,
  application: 358_123,
};
