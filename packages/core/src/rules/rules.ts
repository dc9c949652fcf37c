import { start } from "./begin.ts";
import { cancel, remove, retry, trigger } from "./change.ts";
import { carryOn } from "./release.ts";
import { lostReason, settle } from "./settle.ts";

/**
 * What happens to chains: the rules that the stores with one synchronous writer share. Each works on the {@link Rows} of a store,
 * inside one transaction of it.
 *
 * @example
 * function settleIn<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, outcomes: readonly Outcome[]) {
 *   return rules.settle(rows, outcomes, Date.now());
 * }
 */
export const rules = { start, settle, lostReason, carryOn, trigger, cancel, retry, remove } as const;
