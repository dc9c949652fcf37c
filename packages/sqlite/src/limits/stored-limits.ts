import type { JobLimit } from "chainwright/adapter";
import { type StoredLimit, storedLimitsOf } from "../result-rows.ts";

export function storedLimits(limits: readonly JobLimit[] | undefined): string | null {
  if (limits === undefined) return null;
  return JSON.stringify(
    limits.map(({ limit, key, holds }): StoredLimit => (holds === true ? [limit, key, 1] : [limit, key])),
  );
}

/** The greatest of its limits; 1, which most jobs have, as null. */
export function storedWeight(limits: readonly JobLimit[] | undefined): number | null {
  const weight = Math.max(...(limits ?? []).map((limit) => limit.weight ?? 1));
  return weight > 1 ? weight : null;
}

/** Whether a job with these limits keeps its places while it waits for a retry. */
export function keepsPlaces(stored: string): boolean {
  return stored.includes(",1]") && storedLimitsOf(stored).some(([, , holds]) => holds === 1);
}
