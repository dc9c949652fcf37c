import { defineJobTypes } from "chainwright";
import type { sharedJobTypes, Step } from "../shared-job-types.ts";

type Priced = Step & { readonly euros: number };

/** Chains that each release declares in its own way: here as their first release wrote them. */
export const pricedJobTypes = defineJobTypes<
  {
    priced: { entry: true; input: Priced; continueWith: "priced.end"; blockers: ["part"] };
    "priced.end": { input: Priced; output: number };
  },
  typeof sharedJobTypes
>();
