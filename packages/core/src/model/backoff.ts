/** How long to wait before another try: `initialMs * multiplier^(failures - 1)`, at most `maxMs`, varied by `jitter`. */
export interface Backoff {
  readonly initialMs: number;
  readonly multiplier: number;
  readonly maxMs: number;
  /** 0 to 1: the share of the delay that chance may add or take away. */
  readonly jitter: number;
}

/**
 * The delay after a number of failures (from 1), in milliseconds.
 *
 * @param chance in [0, 1): 0.5 gives the delay without jitter.
 */
export function backoffMs(backoff: Backoff, failures: number, chance: number): number {
  // Nothing times infinity is not a number.
  const grown = backoff.initialMs === 0 ? 0 : backoff.initialMs * backoff.multiplier ** (failures - 1);
  const plain = Math.min(backoff.maxMs, grown);
  return Math.round(plain * (1 + backoff.jitter * (2 * chance - 1)));
}
