/** Milliseconds since 1970 with fractions, so that moments of different processes can be compared. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
