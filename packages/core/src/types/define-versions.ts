import type { JobTypeSlice } from "../model/job-type.ts";
import type { VersionSlice } from "../model/version-step.ts";
import { checkVersions } from "./check-versions.ts";
import type { OwnTypes } from "./job-types.ts";
import type { CheckedLadders, CheckedWrites } from "./versions-refusals.ts";
import type { Versions } from "./versions.ts";

/** The options of `defineVersions`. */
interface VersionsOptions<Slice, Inputs, Outputs, Writes> {
  /** The slice that declares the job types, as it is today. */
  readonly jobTypes: Slice;
  /** The versions of stored inputs by job type, each from the first to the declared input. */
  readonly inputs?: CheckedLadders<"input", OwnTypes<Slice>, Inputs>;
  /** The versions of stored outputs by the job type that ends with them, each from the first to the declared output. */
  readonly outputs?: CheckedLadders<"output", OwnTypes<Slice>, Outputs>;
  /**
   * The version in which inputs of a job type are written, while older code is still in use. Each later version needs a `back`.
   * Default: the newest version.
   */
  readonly writes?: CheckedWrites<Inputs, Writes>;
}

/**
 * Declares earlier shapes of stored inputs and outputs, and how each becomes the next one. Handlers and readers get values of the
 * declared type only, whichever version is stored; nothing in the store is rewritten. The version of a type is 1 and one more for each
 * `.then`. A worker claims the versions that it knows.
 *
 * @throws `invalid-input` for versions of types that the slice does not have, and for `writes` without a `back`
 * @example
 * const orderVersions = defineVersions({
 *   jobTypes: orderJobTypes,
 *   inputs: {
 *     "order.charge": stored<{ orderId: string; amount: number }>().then((v1) => ({
 *       orderId: v1.orderId,
 *       cents: Math.round(v1.amount * 100),
 *     })),
 *   },
 * });
 * const client = createClient({ stateAdapter, jobTypes: [orderJobTypes], versions: [orderVersions] });
 */
export function defineVersions<Slice extends JobTypeSlice, const Inputs = {}, const Outputs = {}, const Writes = {}>(
  options: VersionsOptions<Slice, Inputs, Outputs, Writes>,
): Versions<{ [Name in (keyof Inputs | keyof Outputs) & keyof OwnTypes<Slice>]: OwnTypes<Slice>[Name] }>;
export function defineVersions(options: object): VersionSlice {
  return checkVersions(options);
}
