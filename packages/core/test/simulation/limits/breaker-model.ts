import type { LimitChange } from "../../../src/ports/limit.ts";

type Failed = Extract<LimitChange, { readonly kind: "failed" }>;

/** The breaker of one key, as the calls have left it: written from the port's contract, not from the store. */
export interface ModelBreaker {
  /** Failures of a key that is normal, with the attempts that failed. */
  counted: readonly { readonly at: number; readonly attempt: string }[];
  /** Set while it is open or half open. */
  openUntil: number | undefined;
  /** The job that began last since it is half open. */
  probe: string | undefined;
}

export function createModelBreaker(): ModelBreaker {
  return { counted: [], openUntil: undefined, probe: undefined };
}

/** Returns whether it opens. */
export function failIn(state: ModelBreaker, { jobId, fence, breaker }: Failed, now: number): boolean {
  const attempt = `${jobId} ${fence}`;
  const isOpen = state.openUntil !== undefined;
  if (isOpen && state.probe !== jobId) return false;
  const recent = state.counted.filter(({ at }) => Math.abs(now - at) < breaker.withinMs);
  if (!isOpen && recent.some((each) => each.attempt === attempt)) return false;
  state.counted = [...recent, { at: now, attempt }];
  if (!isOpen && state.counted.length < breaker.failures) return false;
  Object.assign(state, { counted: [], openUntil: now + breaker.openMs, probe: undefined });
  return true;
}

/** Returns whether it closes. */
export function succeedIn(state: ModelBreaker, jobId: string): boolean {
  if (state.openUntil === undefined || state.probe !== jobId) return false;
  Object.assign(state, createModelBreaker());
  return true;
}

/**
 * Why no job may begin. Undefined: one may.
 *
 * @param isLeased whether a job is leased
 */
export function shutBy(
  { openUntil, probe }: ModelBreaker,
  now: number,
  isLeased: (jobId: string) => boolean,
): "it is open" | "its probe runs" | undefined {
  if (openUntil === undefined) return undefined;
  if (openUntil > now) return "it is open";
  return probe !== undefined && isLeased(probe) ? "its probe runs" : undefined;
}
