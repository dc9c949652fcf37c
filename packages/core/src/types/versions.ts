import type { VersionSlice } from "../model/version-step.ts";

declare const versioned: unique symbol;

/**
 * The versions of some job types of a slice, as `defineVersions` returns them. `Types` are the definitions of these job types.
 *
 * @example
 * type Charges = { "order.charge": { entry: true; input: { cents: number }; output: null } };
 * const jobTypes = defineJobTypes<Charges>();
 * const versions: Versions<Charges> = defineVersions({
 *   jobTypes,
 *   inputs: { "order.charge": stored<{ amount: number }>().then(({ amount }) => ({ cents: amount * 100 })) },
 * });
 * createClient({ stateAdapter, jobTypes, versions: [versions] });
 */
export interface Versions<in out Types> extends VersionSlice {
  /** Types only: it does not exist at run time. */
  readonly [versioned]?: Types;
}
