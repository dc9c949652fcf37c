import type { BreakerRule, LimitKey, LimitRule } from "../model/limit.ts";

/**
 * One change of limits.
 *
 * - `declare`: what the code says. The declaration with the highest `codeVersion` counts; among equal ones, and among those
 *   without one, the last. One without a version replaces none that has one.
 * - `override`: counts instead of what the code says, for one key or, without `key`, for all keys that have no override of their
 *   own. Numbers that are undefined are not overridden. It is added to an override that is there.
 * - `reset`: removes the override, of one key or the one for all keys.
 * - `pause`: no job with the key, or without `key` no job under the limit, begins until the pause ends. Of two pauses the later end
 *   counts.
 * - `resume`: ends such a pause. It also ends the breaker of the key, or without `key` those of all keys.
 * - `failed`: an attempt of a job failed in a way that the breaker counts. Counted once for each attempt, and not at all while the
 *   breaker of the key is open or half open, unless the job is its probe: then the breaker opens again.
 * - `succeeded`: an attempt of a job succeeded. If the job is the probe, the breaker of the key is closed, and nothing counts any more.
 */
export type LimitChange =
  | {
      readonly kind: "declare";
      readonly limit: string;
      readonly rule: LimitRule;
      readonly codeVersion: number | undefined;
    }
  | {
      readonly kind: "override";
      readonly limit: string;
      readonly key: string | undefined;
      readonly rule: LimitRule;
    }
  | { readonly kind: "reset"; readonly limit: string; readonly key: string | undefined }
  | {
      readonly kind: "pause";
      readonly limit: string;
      readonly key: string | undefined;
      /** Undefined: until it is resumed. */
      readonly forMs: number | undefined;
    }
  | { readonly kind: "resume"; readonly limit: string; readonly key: string | undefined }
  | {
      readonly kind: "failed";
      readonly limit: string;
      readonly key: string;
      readonly jobId: string;
      /** That of the attempt's lease. */
      readonly fence: number;
      readonly breaker: BreakerRule;
    }
  | { readonly kind: "succeeded"; readonly limit: string; readonly key: string; readonly jobId: string };

/**
 * The breaker of a key that has opened. Until `openUntil` no job with the key begins. After that it is half open: one job at a time
 * begins, the probe, until `succeeded` or `resume` ends it. A probe that is no longer leased is replaced by the next job.
 */
export interface OpenBreaker {
  /** How many failures in a row it has counted: those that opened it, and those of probes. */
  readonly failures: number;
  /** In milliseconds since 1970. */
  readonly openUntil: number;
}

/** Selects keys of limits. */
export interface LimitQuery {
  /** Exactly these, in their order, whether or not they have jobs. Undefined: those that are in use, in order of limit and key. */
  readonly keys?: readonly LimitKey[] | undefined;
  /** Only keys of this limit. Undefined: of all. */
  readonly limitName?: string | undefined;
  /** Only keys with a job that waits for a place, with a pause, or with a breaker that is open or half open. */
  readonly isBusy?: boolean | undefined;
  /** Exclusive: the last one of the page before. */
  readonly after?: LimitKey | undefined;
  /** The most rows. */
  readonly limit: number;
}

/** How a key of a limit is used now. */
export interface LimitRecord extends LimitKey {
  /** Jobs that hold a place of it: those that are leased, and those that keep it for a retry. */
  readonly running: number;
  /** Ready jobs that wait in lanes with this key. Due jobs that no claim has put into their lane yet do not count. */
  readonly waiting: number;
  /** What counts: the override of the key, else the one for all keys, else what the code says, number by number. Undefined: no one has declared the limit. */
  readonly rule: LimitRule | undefined;
  /** What the code says. Undefined: no one has declared the limit. */
  readonly declared: LimitRule | undefined;
  /** Whether an override counts. */
  readonly isOverridden: boolean;
  /** While it is paused: when the pause ends, in milliseconds since 1970; `Infinity` if it has to be resumed. Undefined: it is not. */
  readonly pausedUntil: number | undefined;
  /** While its breaker is open or half open. Undefined: it is not. */
  readonly breaker: OpenBreaker | undefined;
  /** In how many milliseconds a job may begin again, where that is known: after a pause, when a breaker is half open, or when a rate allows it. Undefined: now, or when a job ends. */
  readonly opensInMs: number | undefined;
}

/** All that code or an operator has said of a limit. */
export interface LimitDeclaration {
  readonly limit: string;
  readonly declared: LimitRule | undefined;
  readonly codeVersion: number | undefined;
  /** For all keys. */
  readonly override: LimitRule | undefined;
  /** When the pause of all its keys ends; `Infinity` if it has to be resumed. Undefined: there is none. */
  readonly pausedUntil: number | undefined;
}
