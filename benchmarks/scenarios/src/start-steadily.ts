import { delay, now } from "@chainwright/bench-measuring";

/**
 * Starts so many jobs a second until `isOver`, without waiting for earlier starts, and then waits for all of them. Returns by how many
 * milliseconds the latest call was behind its time: if that is much, the process could not keep up.
 */
export async function startSteadily(
  perSecond: number,
  isOver: () => boolean,
  start: () => Promise<unknown>,
): Promise<number> {
  const begunAt = now();
  const starts: Promise<unknown>[] = [];
  let latest = 0;
  const dueAt = (): number => begunAt + (starts.length * 1_000) / perSecond;
  while (!isOver()) {
    for (; dueAt() <= now() && !isOver();) {
      latest = Math.max(latest, now() - dueAt());
      const started = start();
      // Its error is reported at the end.
      started.catch(() => undefined);
      starts.push(started);
    }
    await delay(Math.max(1, dueAt() - now()));
  }
  await Promise.all(starts);
  return latest;
}
