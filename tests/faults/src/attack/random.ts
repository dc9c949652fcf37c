/** Random numbers from a seed: they repeat the plan of an attack, but never the exact run. */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  between(from: number, to: number): number;
  oneOf<T>(all: readonly [T, ...T[]]): T;
}

/** mulberry32: small, and uniform enough for this. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    oneOf: (all) => all[Math.floor(next() * all.length)] ?? all[0],
  };
}
