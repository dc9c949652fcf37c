import { defineJobTypes, defineVersions, stored } from "chainwright";
import type { sharedJobTypes, Step } from "../shared-job-types.ts";

type Priced = Step & { readonly cents: number };
type FirstPriced = Step & { readonly euros: number };

/** The chains of `last/priced-job-types.ts` with another input. */
export const pricedJobTypes = defineJobTypes<
  {
    priced: { entry: true; input: Priced; continueWith: "priced.end"; blockers: ["part"] };
    "priced.end": { input: Priced; output: number };
  },
  typeof sharedJobTypes
>();

const inCents = ({ delayMs, euros }: FirstPriced): Priced => ({ delayMs, cents: euros * 100 });

export const pricedVersions = defineVersions({
  jobTypes: pricedJobTypes,
  inputs: { priced: stored<FirstPriced>().then(inCents), "priced.end": stored<FirstPriced>().then(inCents) },
});
