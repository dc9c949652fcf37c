import type { Death } from "./job-types.ts";

/** The exit code of a process that a poisonous job has ended. */
export const poisoned = 13;

export function die(how: Death): never {
  if (how === "exit") process.exit(poisoned);
  if (how === "abort") process.abort();
  const hoard: unknown[] = [];
  for (;;) hoard.push(Array.from({ length: 100_000 }, () => ({ hoard })));
}
