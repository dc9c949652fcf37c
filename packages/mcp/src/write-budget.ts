const windowMs = 60_000;

/** Says whether one more change may be tried in this minute. */
export type WriteBudget = () => boolean;

/** @param now of a clock that never jumps, in milliseconds */
export function createWriteBudget(perMinute: number, now: () => number): WriteBudget {
  let spent: readonly number[] = [];
  return () => {
    const at = now();
    spent = spent.filter((each) => at - each < windowMs);
    if (spent.length >= perMinute) return false;
    spent = [...spent, at];
    return true;
  };
}
