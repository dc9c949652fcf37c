import type { Clock } from "../ports/clock.ts";
import type { NotifyAdapter } from "../ports/notify.ts";
import type { Observer } from "../ports/observer.ts";
import type { StateAdapter } from "../ports/state.ts";
import type { Client } from "./client.ts";
import type { Env } from "./env.ts";
import type { MergedTypes } from "./job-types.ts";
import type { SliceRefusals } from "./slices-refusals.ts";
import type { JobTypeSlice } from "../model/job-type.ts";
import type { LimitSlice } from "../model/limit.ts";
import type { VersionSlice } from "../model/version-step.ts";
import type { CheckedLimits } from "./client-limits.ts";
import type { CheckedVersions } from "./client-versions.ts";

/**
 * Creates a client. An application needs one for each database.
 *
 * @example
 * const client = createClient({ stateAdapter, notifyAdapter, jobTypes: [orderJobTypes, mailJobTypes] });
 */
export type CreateClient = <Tx, const Slices, const Lifted = readonly [], const Limited = readonly []>(
  options: ClientOptions<Tx, JoinedSlices<Slices>, CheckedVersions<Slices, Lifted>, CheckedLimits<Slices, Limited>>,
) => NoInfer<Client<Env<MergedTypes<Slices>, Tx>>>;

/**
 * The options of `createClient`.
 *
 * @example
 * import type { PoolClient } from "pg";
 *
 * const options: ClientOptions<PoolClient, typeof jobTypes> = {
 *   stateAdapter,
 *   jobTypes,
 *   maxPayloadBytes: 64 * 1_024,
 * };
 * const client = createClient(options);
 */
export interface ClientOptions<
  in out Tx,
  in out Slices,
  in out Lifted = readonly VersionSlice[],
  in out Limited = readonly LimitSlice[],
> {
  readonly stateAdapter: StateAdapter<Tx>;
  /** Wakes workers and waiting calls in other processes; without it they poll. */
  readonly notifyAdapter?: NotifyAdapter | undefined;
  /** The result of `defineJobTypes`, or an array of such results. */
  readonly jobTypes: Slices;
  /** Earlier shapes of stored inputs and outputs: the results of `defineVersions`. Default: everything stored is as declared. */
  readonly versions?: Lifted | undefined;
  /** Limits of job types by key: the results of `defineLimits`. Default: no job is limited. */
  readonly limits?: Limited | undefined;
  /**
   * Receive every event, after its commit. Default: failures are reported with `console.error`, each kind once a minute at most;
   * `[]` reports nothing.
   */
  readonly observers?: readonly Observer[] | undefined;
  /** Time and randomness, for tests. */
  readonly clock?: Clock | undefined;
  /** The largest input or output, in bytes of JSON. Default: one mebibyte. */
  readonly maxPayloadBytes?: number | undefined;
}

/*
 * The slices themselves, or a sentence about their error. `infer` keeps the compiler from looking into all rules while the slices are not
 * known yet.
 */
type JoinedSlices<Slices> = unknown extends Slices
  ? JobTypeSlice | readonly JobTypeSlice[]
  : [Slices] extends [never]
    ? Slices
    : SliceRefusals<Slices> extends infer Sentence
      ? [Sentence] extends [never]
        ? NoInfer<Slices>
        : Sentence
      : never;
