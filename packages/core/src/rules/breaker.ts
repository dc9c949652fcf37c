import type { BreakerRule } from "../model/limit.ts";
import type { LimitChange, OpenBreaker } from "../ports/limit.ts";

/** What a store keeps for a key whose jobs have failed. It is plain data, so that a store can keep it as JSON text. */
export type BreakerState = CountedFailures | OpenedBreaker;

/** The key is normal; so many failures were counted lately. */
interface CountedFailures {
  readonly kind: "counting";
  readonly counted: readonly CountedFailure[];
  /** From when on none of them counts any more. */
  readonly until: number;
}

interface CountedFailure {
  readonly at: number;
  /** The job and its fence: an attempt is counted once, also if its report is sent twice. */
  readonly attempt: string;
}

interface OpenedBreaker extends OpenBreaker {
  readonly kind: "opened";
  /** The job that has begun last since it is half open. Undefined: none has. */
  readonly probe: string | undefined;
}

type Failed = Extract<LimitChange, { readonly kind: "failed" }>;

/** A breaker that has been half open for so long is forgotten: its key may never be used again. */
const forgottenMs = 7 * 86_400_000;

/**
 * Counts a failure. Returns the new state, and whether it has opened the breaker. A failure of an attempt that began before the breaker
 * opened, and one of an earlier probe, changes nothing.
 */
export function breakerFailed(
  state: BreakerState | undefined,
  { jobId, fence, breaker }: Failed,
  now: number,
): { readonly state: BreakerState | undefined; readonly hasOpened: boolean } {
  if (state?.kind === "opened") {
    if (state.probe !== jobId) return { state, hasOpened: false };
    return { state: opened(state.failures + 1, breaker, now), hasOpened: true };
  }
  const attempt = `${jobId} ${fence}`;
  const before = (state?.counted ?? []).filter(({ at }) => Math.abs(now - at) < breaker.withinMs);
  if (before.some((each) => each.attempt === attempt)) return { state, hasOpened: false };
  const counted = [...before, { at: now, attempt }];
  if (counted.length >= breaker.failures) return { state: opened(counted.length, breaker, now), hasOpened: true };
  return { state: { kind: "counting", counted, until: now + breaker.withinMs }, hasOpened: false };
}

/** Whether the success of a job closes the breaker. */
export function breakerCloses(state: BreakerState | undefined, jobId: string): boolean {
  return state?.kind === "opened" && state.probe === jobId;
}

/** A job with the key begins: it is the probe if the breaker is half open. Returns undefined if it is not. */
export function withProbe(state: BreakerState | undefined, probe: string): BreakerState | undefined {
  return state?.kind === "opened" ? { ...state, probe } : undefined;
}

/**
 * Whether a key lets jobs begin: `one`, the probe, while its breaker is half open.
 *
 * @param isLeased whether a job is leased now
 */
export function breakerLets(
  state: BreakerState | undefined,
  now: number,
  isLeased: (jobId: string) => boolean,
): "none" | "one" | "all" {
  if (state?.kind !== "opened") return "all";
  if (state.openUntil > now) return "none";
  return state.probe !== undefined && isLeased(state.probe) ? "none" : "one";
}

/** What is shown of it. Undefined: the key is normal. */
export function openBreaker(state: BreakerState | undefined): OpenBreaker | undefined {
  return state?.kind === "opened" ? { failures: state.failures, openUntil: state.openUntil } : undefined;
}

/** Whether nothing of it counts any more. */
export function isBreakerPast(state: BreakerState, now: number): boolean {
  return (state.kind === "opened" ? state.openUntil + forgottenMs : state.until) <= now;
}

function opened(failures: number, { openMs }: BreakerRule, now: number): OpenedBreaker {
  return { kind: "opened", failures, openUntil: now + openMs, probe: undefined };
}
