import { defineJobTypes } from "chainwright";

export const batchJobTypes = defineJobTypes<{
  /** Writes a row of the application, unless it fails for good. */
  "row.write": { entry: true; input: { readonly fails: boolean }; output: null };
}>();
