/** The most limits of one job type. */
export const mostLimits = 4;
export const longestLimitName = 100;

/** A limit and the key for which it counts. */
export interface LimitKey {
  /** The name of the limit: 1 to 100 characters without control characters. */
  readonly limit: string;
  /** 1 to 200 characters. */
  readonly key: string;
}

/** A limit that a job is under. */
export interface JobLimit extends LimitKey {
  /** The share of turns that jobs with this key get beside those with other keys. Undefined: 1. An integer from 1 to 100. */
  readonly weight?: number | undefined;
  /** Whether the job keeps its place, and its key stays closed for later jobs, while it waits for a retry. Undefined: no. */
  readonly holds?: boolean | undefined;
}

/** What a limit allows for each of its keys. Without both numbers keys take turns, and nothing else is limited. */
export interface LimitRule {
  /** The most jobs with a key that are leased at the same time, from 1 on. Undefined: any number. */
  readonly concurrency: number | undefined;
  /** Undefined: any number may begin. */
  readonly rate: LimitRate | undefined;
}

/** In each span of `perMs` milliseconds at most `count` attempts begin, the first attempt and retries alike. */
export interface LimitRate {
  /** From 1 to 10,000. */
  readonly count: number;
  readonly perMs: number;
  /** Whether beginnings are spaced evenly: then one begins at most every `perMs / count` milliseconds. */
  readonly spread: boolean;
}

/** A limit of a claimed job. */
export interface ClaimedLimit extends LimitKey {
  /** Whether the job tries a half-open key for the others: if it succeeds, the key is normal again. Undefined: no. */
  readonly isProbe?: boolean | undefined;
}

/** When a breaker closes a key, and for how long. */
export interface BreakerRule {
  /** From 1 to 1,000. */
  readonly failures: number;
  readonly withinMs: number;
  readonly openMs: number;
}

/** The breaker of a limit as code defines it. */
export interface DefinedBreaker extends BreakerRule {
  /** Whether a failure of an attempt counts. */
  readonly counts: (error: unknown) => unknown;
}

/** A limit as code defines it, its types erased. */
export interface DefinedLimit {
  readonly name: string;
  /** For each job type that is under it: the function that makes the key of an input. Undefined: the job is not limited. */
  readonly keys: Readonly<Record<string, (input: unknown) => unknown>>;
  readonly rule: LimitRule;
  readonly weight: ((key: string) => unknown) | undefined;
  readonly holds: boolean;
  /** Undefined: failures close no key. */
  readonly breaker?: DefinedBreaker | undefined;
}

/** The run-time side of `defineLimits`. */
export interface LimitSlice {
  readonly limits: readonly DefinedLimit[];
}
