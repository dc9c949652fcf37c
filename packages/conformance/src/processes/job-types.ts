import { defineJobTypes } from "chainwright";

/** An order waits for two parts, which are counted together by its second step. Each step of an order has one effect. */
export const jobTypes = defineJobTypes<{
  order: { entry: true; input: { n: number }; continueWith: "charge"; blockers: ["part", "part"] };
  charge: { input: { n: number; sum: number }; output: { n: number; sum: number } };
  part: { entry: true; input: { n: number; part: number }; output: number };
  effect: { entry: true; input: { of: string }; output: null };
}>();

export function outputOfPart({ n, part }: { readonly n: number; readonly part: number }): number {
  return n * 10 + part;
}

/** The orders of a case have numbers from 0 on. */
export interface Orders {
  readonly store: string;
  readonly role: "worker" | "starter";
  /** How many orders a starter starts. */
  readonly orders: number;
  /** Where the process kills itself. Undefined: nowhere. */
  readonly killedAt: string | undefined;
}

export const leaseMs = 500;
