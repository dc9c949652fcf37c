import { createHash } from "node:crypto";
import type { JobLimit } from "chainwright/adapter";

/** The limits of a job as `job.limits` has them, and as functions get them. */
export interface StoredLimits {
  /** Identifies the lane, together with the claim name. A hash, because an index takes no texts of any length. */
  readonly lane: string;
  readonly keys: readonly (readonly [limit: string, key: string])[];
  /** Undefined: 1. */
  readonly weight: number | undefined;
  readonly holds: true | undefined;
}

/** A job has the greatest weight of its limits, and keeps all its places if one of its limits says so. */
export function storedLimits(limits: readonly JobLimit[] | undefined): StoredLimits | undefined {
  if (limits === undefined || limits.length === 0) return undefined;
  const keys = limits.map(({ limit, key }) => [limit, key] as const);
  const weight = Math.max(...limits.map((each) => each.weight ?? 1));
  const holds = limits.some((each) => each.holds === true);
  return { lane: laneOf(keys), keys, weight: weight === 1 ? undefined : weight, holds: holds ? true : undefined };
}

function laneOf(keys: StoredLimits["keys"]): string {
  const hex = createHash("sha256").update(JSON.stringify(keys)).digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** SQL for the columns `lane, lane_weight, lane_holds` of `open_job`, from the stored limits of a job. Null: it has none. */
export const laneColumns = (limits: string) =>
  `(${limits}::json->>'lane')::uuid, (${limits}::json->>'weight')::smallint, (${limits}::json->>'holds')::boolean`;
