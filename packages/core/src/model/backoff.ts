/** The delay before the next attempt: `initialMs * multiplier^(failures - 1)`, at most `maxMs`, varied by `jitter`. */
export interface Backoff {
  readonly initialMs: number;
  readonly multiplier: number;
  readonly maxMs: number;
  /** 0 to 1: the part of the delay that is random, added or subtracted. */
  readonly jitter: number;
}

/**
 * The delay after a number of failures (from 1), in milliseconds.
 *
 * @param chance in [0, 1): 0.5 gives the delay without jitter.
 */
export function backoffMs(backoff: Backoff, failures: number, chance: number): number {
  // 0 * Infinity is NaN.
  const grown = backoff.initialMs === 0 ? 0 : backoff.initialMs * backoff.multiplier ** (failures - 1);
  const plain = Math.min(backoff.maxMs, grown);
  return Math.round(plain * (1 + backoff.jitter * (2 * chance - 1)));
}
