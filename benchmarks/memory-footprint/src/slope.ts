/** A line through values that are the same distance apart: what each unit adds, and how far off that may be. */
export interface Slope {
  readonly perUnit: number;
  /** The standard error. */
  readonly error: number;
}

/** Fits a line by least squares. */
export function slopeOf(values: readonly number[], distance: number): Slope {
  const count = values.length;
  const middle = (count - 1) / 2;
  const mean = sum(values) / count;
  const spread = sum(values.map((_, index) => (index - middle) ** 2));
  const rise = sum(values.map((value, index) => (index - middle) * (value - mean))) / spread;
  const off = sum(values.map((value, index) => (value - mean - rise * (index - middle)) ** 2));
  return { perUnit: rise / distance, error: Math.sqrt(off / (count - 2) / spread) / distance };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
