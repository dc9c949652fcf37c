import { defineJobTypes } from "chainwright";

// Together they cover every way in which a step can end and a chain can continue, in the shortest possible chains.

/** A line: a value, then a transaction, then two transactions around the step's work. */
export const lineJobTypes = defineJobTypes<{
  line: { entry: true; input: Step; continueWith: "line.atomic" };
  "line.atomic": { input: Step; continueWith: "line.staged" };
  "line.staged": { input: Step; output: number };
  // Started by a step, in its transaction.
  spawned: { entry: true; input: Step; output: number };
}>();

/** A branch, and where its arms meet. */
export const branchJobTypes = defineJobTypes<{
  branch: { entry: true; input: Step; continueWith: "branch.left" | "branch.right" };
  "branch.left": { input: Step; continueWith: "branch.end" };
  "branch.right": { input: Step; continueWith: "branch.end" };
  "branch.end": { input: Step; output: number };
}>();

/** A step that continues with itself. */
export const loopJobTypes = defineJobTypes<{
  loop: { entry: true; input: Step & { readonly rounds: number }; output: number; continueWith: "loop" };
}>();

/** Chains that wait for others. */
export const joinJobTypes = defineJobTypes<{
  // A fan-in that continues with another one.
  join: {
    entry: true;
    input: Step;
    continueWith: "join.again";
    blockers: [...("part" | "part.value")[]];
  };
  "join.again": { input: Step; output: number; blockers: ["part", "part.value"] };
  part: { entry: true; input: Step; output: number };
  "part.value": { entry: true; input: Step; output: number };
  // Started under a deduplication key, which must not be free before the second step has ended.
  keyed: { entry: true; input: Step & { readonly key: string }; continueWith: "keyed.end" };
  "keyed.end": { input: Step & { readonly key: string }; output: number };
}>();

/** Chains that have accidents. */
export const accidentJobTypes = defineJobTypes<{
  // Fails, is postponed, and completes.
  stumble: { entry: true; input: Step & { readonly failures: number; readonly putOff: boolean }; output: number };
  // Fails for good until it is retried with a better input.
  broken: { entry: true; input: Step & { readonly mended: boolean }; output: number };
  // Waits until an operator triggers, completes or cancels it.
  parked: { entry: true; input: Step; output: number };
  // Kills its process until its attempts are used up.
  poison: { entry: true; input: Step & { readonly death: Death }; output: number };
}>();

/** Chains that operators and other transactions change or delete while they run. */
export const preyJobTypes = defineJobTypes<{
  // Loops, fails, is postponed and prepares at random.
  prey: { entry: true; input: Step & { readonly rounds: number }; output: number; continueWith: "prey" };
  // Waits for some of them, and is deleted with them.
  "prey.join": { entry: true; input: Step; output: number; blockers: "prey"[] };
}>();

/** Chains whose handlers break the rules for some attempts, and then follow them. */
export const unrulyJobTypes = defineJobTypes<{
  // Calls its context after its attempt is over.
  late: { entry: true; input: Step & { readonly how: Lateness }; output: number };
  // Has a callback that takes longer than the lease.
  slow: { entry: true; input: Step; output: number };
}>();

/** Handlers that note what they have done, and go on from there. */
export const longJobTypes = defineJobTypes<{
  long: {
    entry: true;
    input: Step & { readonly parts: readonly LongPart[]; readonly failures: number };
    output: number;
    checkpoint: { readonly parts: number };
    progress: { readonly parts: number };
  };
}>();

/** `once`, `once` in a transaction, a checkpoint, or progress and a line. */
export type LongPart = "once" | "write" | "save" | "report";

/** What a handler still calls when its attempt is over, or leaves open when it ends. */
export const latenesses = [
  "prepares late",
  "is preparing",
  "does not await prepare",
  "completes late",
  "completes after it rescheduled",
  "never ends its callback",
] as const;
export type Lateness = (typeof latenesses)[number];

/** How a job kills its process: it exits, aborts like native code, or uses up all memory. */
export type Death = "exit" | "abort" | "out of memory";

/** The input of every step. */
export interface Step {
  /** How long its handler takes. */
  readonly delayMs: number;
}
