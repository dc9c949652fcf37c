import { defineJobTypes } from "chainwright";

/** The job types of the cases: payloads are any, so that a case can pass what it likes. */
export const jobTypes = defineJobTypes<{
  work: { entry: true; input: unknown; output: unknown; continueWith: "work" | "next" | "gather" };
  next: { entry: true; input: unknown; output: unknown; continueWith: "work" | "next" | "gather" };
  gather: { entry: true; input: unknown; output: unknown; blockers: ("work" | "next")[] };
  /** Nobody handles it. */
  idle: { entry: true; input: unknown; output: unknown; continueWith: "work" | "idle" };
}>();
