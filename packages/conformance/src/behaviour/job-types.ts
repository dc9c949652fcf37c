import { defineJobTypes } from "chainwright";

/** The job types of the cases: payloads have any type, so that a case can pass any value. */
export const jobTypes = defineJobTypes<{
  work: { entry: true; input: unknown; output: unknown; continueWith: "work" | "next" | "gather" };
  next: { entry: true; input: unknown; output: unknown; continueWith: "work" | "next" | "gather" };
  gather: { entry: true; input: unknown; output: unknown; blockers: ("work" | "next")[] };
  /** No worker handles it. */
  idle: { entry: true; input: unknown; output: unknown; continueWith: "work" | "idle" };
}>();
