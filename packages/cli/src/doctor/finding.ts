/** What the doctor has found. */
export interface Finding {
  readonly check: string;
  /** `red`: work is lost, stuck or will be. `yellow`: it will be slow, or may be. `green`: a fact. `fixed`: it was repaired. */
  readonly level: "red" | "yellow" | "green" | "fixed";
  /** What is so, in a sentence. */
  readonly problem: string;
  /** What to do; empty for a fact. */
  readonly remedy: string;
}

export const red = (check: string, problem: string, remedy: string): Finding => ({
  check,
  level: "red",
  problem,
  remedy,
});
export const yellow = (check: string, problem: string, remedy: string): Finding => ({
  check,
  level: "yellow",
  problem,
  remedy,
});
export const green = (check: string, problem: string): Finding => ({ check, level: "green", problem, remedy: "" });
