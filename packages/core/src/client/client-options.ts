import { ChainwrightError } from "../model/error.ts";
import type { JobTypeSlice } from "../model/job-type.ts";
import type { LimitSlice } from "../model/limit.ts";
import type { VersionSlice } from "../model/version-step.ts";
import type { Clock } from "../ports/clock.ts";
import type { NotifyAdapter } from "../ports/notify.ts";
import type { Observer } from "../ports/observer.ts";
import type { StateAdapter } from "../ports/state.ts";
import { notifyPortVersion, statePortVersion } from "../ports/version.ts";
import { checkInteger, checkKeys, invalid, isList } from "../checks/check-options.ts";
import { checkPortVersion } from "../checks/check-port-version.ts";
import type { EngineOptions } from "../engine/engine.ts";
import { createFailureReporter } from "../observers/failure-reporter.ts";
import { toStandardError } from "../observers/standard-error.ts";
import { createSystemClock } from "../timing/system-clock.ts";

/** The options of `createClient`, types erased. */
export interface ErasedClientOptions {
  readonly stateAdapter: StateAdapter;
  readonly notifyAdapter?: NotifyAdapter | undefined;
  readonly jobTypes: JobTypeSlice | readonly JobTypeSlice[];
  readonly versions?: readonly VersionSlice[] | undefined;
  readonly limits?: readonly LimitSlice[] | undefined;
  readonly observers?: readonly Observer[] | undefined;
  readonly clock?: Clock | undefined;
  readonly maxPayloadBytes?: number | undefined;
}

const clientKeys = {
  stateAdapter: true,
  notifyAdapter: true,
  jobTypes: true,
  versions: true,
  limits: true,
  observers: true,
  clock: true,
  maxPayloadBytes: true,
} satisfies Record<keyof ErasedClientOptions, true>;
const oneMebibyte = 1_048_576;

/** Checks a client's options and fills in the defaults. */
export function checkClientOptions(options: ErasedClientOptions): EngineOptions {
  checkKeys(options, clientKeys, "createClient");
  const { stateAdapter, notifyAdapter, jobTypes, observers, clock = createSystemClock() } = options;
  if (typeof stateAdapter?.exchange !== "function")
    throw invalid("stateAdapter must be a state adapter, such as createPostgresStateAdapter returns.");
  checkPortVersion(stateAdapter, "stateAdapter", statePortVersion);
  if (notifyAdapter !== undefined) checkPortVersion(notifyAdapter, "notifyAdapter", notifyPortVersion);
  const slices = isSlices(jobTypes) ? jobTypes : [jobTypes];
  if (slices.length === 0 || slices.some((slice) => typeof slice !== "object" || slice === null))
    throw invalid("jobTypes must be a slice that defineJobTypes returned, or an array of slices.");
  if (new Set(slices).size < slices.length) {
    const message = "jobTypes must contain each slice once; got one twice. Remove it from the array.";
    throw new ChainwrightError("duplicate-job-type", message);
  }
  return {
    state: stateAdapter,
    notify: notifyAdapter,
    clock,
    slices,
    versions: checkVersions(options.versions),
    limits: checkLimits(options.limits),
    observers: observers ?? [],
    failureReporter: observers === undefined ? createFailureReporter(toStandardError) : undefined,
    maxPayloadBytes: checkInteger(options.maxPayloadBytes ?? oneMebibyte, "maxPayloadBytes", { min: 1, max: 2 ** 29 }),
  };
}

function checkVersions(versions: unknown = []): readonly VersionSlice[] {
  if (isList(versions) && versions.every(isVersionSlice)) return versions;
  throw invalid("versions must be an array of values that defineVersions returned.");
}

function isVersionSlice(value: unknown): value is VersionSlice {
  return typeof value === "object" && value !== null && "inputs" in value && "outputs" in value && "writes" in value;
}

function checkLimits(limits: unknown = []): readonly LimitSlice[] {
  if (isList(limits) && limits.every(isLimitSlice)) return limits;
  throw invalid("limits must be an array of values that defineLimits returned.");
}

function isLimitSlice(value: unknown): value is LimitSlice {
  return typeof value === "object" && value !== null && "limits" in value && isList(value.limits);
}

function isSlices(jobTypes: ErasedClientOptions["jobTypes"]): jobTypes is readonly JobTypeSlice[] {
  return Array.isArray(jobTypes);
}
