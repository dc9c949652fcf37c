import { defineJobTypes } from "chainwright";

/** The input of every step. */
export interface Step {
  /** How long its handler takes. */
  readonly delayMs: number;
}

/** Chains that each release starts and runs. */
export const sharedJobTypes = defineJobTypes<{
  // Continues with itself.
  loop: { entry: true; input: Step & { readonly rounds: number }; output: number; continueWith: "loop" };
  // Waits for two chains, and continues with a job that waits for another one.
  join: { entry: true; input: Step; continueWith: "join.again"; blockers: ["part", "part"] };
  "join.again": { input: Step; output: number; blockers: ["part"] };
  part: { entry: true; input: Step; output: number };
  // Fails as often as its input says.
  stumble: { entry: true; input: Step & { readonly failures: number }; output: number };
  // Started under a deduplication key.
  keyed: { entry: true; input: Step; output: number };
  // Due later.
  later: { entry: true; input: Step; output: number };
}>();

/** The type that operators pause for a while. */
export const pausedType = "loop";
