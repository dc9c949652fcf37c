import { defineJobTypes } from "chainwright";

/** Joins that wait for parts. Some parts end with a value, others in a transaction of their own. */
export const joinTypes = defineJobTypes<{
  value: { entry: true; input: number; output: number };
  atomic: { entry: true; input: number; output: number };
  join: { entry: true; input: number; output: number; blockers: ("value" | "atomic")[] };
}>();
