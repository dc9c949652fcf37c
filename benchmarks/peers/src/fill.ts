import type { Load, OpenContender } from "./contender.ts";

/** Enqueues so many chains, by a hundred if there is a call for that. */
export async function fill(open: OpenContender, count: number, steps: number): Promise<void> {
  const load = loadOf(steps);
  const { enqueueMany } = open;
  if (enqueueMany === undefined) {
    for (let done = 0; done < count; done += 1) await open.enqueue(load);
    return;
  }
  for (let done = 0; done < count; done += 100)
    await enqueueMany(Array.from({ length: Math.min(100, count - done) }, () => load));
}

export function loadOf(steps: number): Load {
  return { text: "x".repeat(20), stepsLeft: steps - 1 };
}
