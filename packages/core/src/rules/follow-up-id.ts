/**
 * A UUID of version 7 for a chain that a store starts by itself: of this moment, with the random bits of the job that stopped, moved by
 * `count`, so that a test with a fixed seed always gets the same ids. It may be taken: then the next count is tried.
 */
export function followUpId(jobId: string, now: number, count: number): string {
  const time = Math.floor(now).toString(16).padStart(12, "0");
  const random = BigInt(`0x${jobId.slice(19, 23)}${jobId.slice(24)}`);
  const moved = BigInt.asUintN(62, random * step + BigInt(count) * step);
  const tail = (moved | variant).toString(16).padStart(16, "0");
  const counter = (count & 0xfff).toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Odd, so that every count gives other bits. */
const step = 0x9e3779b97f4a7c15n;
const variant = 0x8000000000000000n;
