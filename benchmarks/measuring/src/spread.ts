/** The middle of several runs, and how far the others were off. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

export function median(values: readonly number[]): number {
  return spread(values).median;
}

/** "1,200 (1,100 to 1,300)", or the one value there is. */
export function shown({ median: middle, min, max }: Spread): string {
  const text = (value: number): string => Math.round(value).toLocaleString("en");
  return min === max ? text(middle) : `${text(middle)} (${text(min)} to ${text(max)})`;
}
