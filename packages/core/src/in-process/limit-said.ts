import type { LimitRule } from "../model/limit.ts";
import type { BreakerState } from "../rules/breaker.ts";

/** What has been said of one key of a limit, or of all its keys. */
export interface KeyFacts {
  readonly override: LimitRule | undefined;
  readonly pausedUntil: number | undefined;
  /** Only of a key whose jobs have failed. */
  readonly breaker?: BreakerState | undefined;
}

/** What has been said of a limit. */
export interface LimitFacts extends KeyFacts {
  /** Whether it was ever declared or overridden. */
  readonly isKnown: boolean;
  readonly declared: LimitRule | undefined;
  readonly codeVersion: number | undefined;
}
