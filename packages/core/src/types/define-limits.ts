import type { LimitSlice } from "../model/limit.ts";
import { checkLimits } from "./check-limits.ts";
import type { MergedTypes } from "./job-types.ts";
import type { CheckedDefinitions } from "./limits-refusals.ts";
import type { Limits } from "./limits.ts";

/** The options of `defineLimits`. */
interface LimitsOptions<Slices, Given> {
  /** The slice that declares the job types, or several. */
  readonly jobTypes: Slices;
  /** The limits, by the name under which they are shown, shared and changed. */
  readonly limits: CheckedDefinitions<MergedTypes<Slices>, Given>;
}

/**
 * Declares limits: how many jobs with the same key run at the same time, how many begin in a time, and which share of turns each key
 * gets. The keys come from the inputs, so every start, continuation and blocker is limited, whichever call starts it. Of several limits of a
 * job all count. Workers of a client with these limits declare the numbers to the store, which keeps them for all processes; see
 * `client.changeLimit`.
 *
 * @throws `invalid-input` for numbers out of range, for more than 4 limits on a job type, and for types that the slices do not have
 * @example
 * const limits = defineLimits({
 *   jobTypes: [orderJobTypes, mailJobTypes],
 *   limits: {
 *     order: { keys: { "order.charge": ({ orderId }) => orderId }, concurrency: 1, whileRetrying: "hold" },
 *     smtp: { keys: { "mail.send": () => "main" }, concurrency: 50, rate: { count: 100, perMs: 1_000 } },
 *   },
 * });
 * const client = createClient({ stateAdapter, jobTypes: [orderJobTypes, mailJobTypes], limits: [limits] });
 */
export function defineLimits<const Slices, Given>(
  options: LimitsOptions<Slices, Given>,
): Limits<LimitedTypes<MergedTypes<Slices>, Given[keyof Given]>, keyof Given>;
export function defineLimits(options: object): LimitSlice {
  return checkLimits(options);
}

type LimitedTypes<Types, TypeNames> = {
  [Name in KeysOf<TypeNames> & keyof Types]: Types[Name];
};

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
