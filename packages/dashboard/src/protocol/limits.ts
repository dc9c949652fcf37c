/**
 * GET limits?limit&key&busy&order&cursor. `key` needs `limit`; `busy=true`: only keys with a job that waits, with a pause, or closed by failures; `order`:
 * `running` (default) or `waiting`.
 */
export interface LimitsResponse {
  readonly now: number;
  readonly declared: readonly DeclaredLimitView[];
  /** Counts the declared limits that are left out. */
  readonly moreDeclared: number;
  /**
   * The busiest keys of a window, the busiest first. A request looks at a bounded number of keys, so its cost does not depend on how
   * many are in use; `nextCursor` returns the next window.
   */
  readonly keys: readonly LimitKeyView[];
  /** Keys in this window. */
  readonly looked: number;
  readonly nextCursor: string | undefined;
}

/** What a limit allows for a key. */
export interface AllowedView {
  /** Undefined: any number. */
  readonly concurrency: number | undefined;
  /** Undefined: any number. */
  readonly rate: RateView | undefined;
}

export interface RateView {
  readonly count: number;
  readonly perMs: number;
  readonly spread: boolean;
}

interface LimitState extends AllowedView {
  readonly limit: string;
  /** What the code says; undefined: no worker has declared the limit. */
  readonly declared: AllowedView | undefined;
  readonly isOverridden: boolean;
  readonly isPaused: boolean;
  /** When the pause ends by itself; undefined: when it is ended, or there is none. */
  readonly pausedUntil: number | undefined;
}

/** A limit, for all keys without a change of their own. */
export interface DeclaredLimitView extends LimitState {
  /** For actions. */
  readonly id: string;
  readonly codeVersion: number | undefined;
}

/** One key of a limit. */
export interface LimitKeyView extends LimitState {
  /** For actions. Undefined: `redact` hides the key, so that no action can name it. */
  readonly id: string | undefined;
  /** After `redact`. */
  readonly key: string;
  readonly running: number;
  readonly waiting: number;
  /** While failures have closed it. */
  readonly breaker: BreakerView | undefined;
  /** When a job may begin again, where that is known. */
  readonly opensAt: number | undefined;
}

/** `open`: no job begins. `half-open`: one job at a time begins, until one succeeds. */
export interface BreakerView {
  readonly state: "open" | "half-open";
  readonly failures: number;
  /** When it is, or became, half open. */
  readonly openUntil: number;
}
