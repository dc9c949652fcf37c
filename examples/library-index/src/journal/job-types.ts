import { defineJobTypes } from "chainwright";

/** A chain for each file. Its end starts another chain in the same transaction: what the step has written, once or not at all. */
export const jobTypes = defineJobTypes<{
  "file.digest": { entry: true; input: { path: string }; output: { sha256: string } };
  "file.note": { entry: true; input: { path: string; digestId: string }; output: null };
}>();
