import type { LimitRate } from "../model/limit.ts";

/** What a limit allows for each of its keys. */
interface Allowed {
  /** The most jobs of a key that run at the same time. Undefined: any number. */
  readonly concurrency: number | undefined;
  /** How many attempts of a key may begin in a time. Undefined: any number. */
  readonly rate: LimitRate | undefined;
}

/** A pause of a key, or of all keys of a limit. */
interface Pausing {
  readonly isPaused: boolean;
  /** When the pause ends by itself; undefined: with `resumeLimit`, or there is none. */
  readonly pausedUntil: Date | undefined;
}

/** A key that failures have closed. */
export interface BreakerInfo {
  /** `open`: no job begins. `half-open`: one job at a time begins, until one succeeds. */
  readonly state: "open" | "half-open";
  /** How many failures it counted: those that closed the key, and those of jobs that tried it since. */
  readonly failures: number;
  /** When it is, or became, half open. */
  readonly openUntil: Date;
}

/** How a key of a limit is used now. `concurrency` and `rate` are what counts for it: a change of the key, else one for all keys, else what the code says. */
export interface LimitInfo extends Allowed, Pausing {
  readonly limit: string;
  readonly key: string;
  /** Jobs that hold a place: those that run, and those that keep their place while they wait for a retry. */
  readonly running: number;
  /** Ready jobs that wait for their turn. */
  readonly waiting: number;
  /** What the code says. Undefined: no worker whose client has this limit has started, and its jobs wait until one does. */
  readonly declared: Allowed | undefined;
  /** Whether a change counts instead of what the code says. */
  readonly isOverridden: boolean;
  /** While failures have closed it: see the `breaker` of a limit. Undefined: it is not closed by failures. */
  readonly breaker: BreakerInfo | undefined;
  /** When a job may begin again, where that is known: after a pause, when one job may try again, or when the rate allows it. Undefined: now, or when a job ends. */
  readonly opensAt: Date | undefined;
}

/** A limit, and what it allows a key that has no change of its own: a change for all keys, else what the code says. */
export interface DeclaredLimit extends Allowed, Pausing {
  readonly limit: string;
  /** What the code says. Undefined: no worker whose client has this limit has started. */
  readonly declared: Allowed | undefined;
  /** The highest `codeVersion` of the workers that declared it. Undefined: none has one. */
  readonly codeVersion: number | undefined;
  /** What `changeLimit` changed for all keys. Undefined: nothing. */
  readonly override: Allowed | undefined;
}
