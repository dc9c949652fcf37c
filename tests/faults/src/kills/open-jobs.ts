import { setTimeout as delay } from "node:timers/promises";

/** The call of a client that counts its jobs, of which each row says how many have not ended. */
export interface CountingClient {
  readonly countJobs: () => Promise<Readonly<Record<string, OpenCounts>>>;
}

type OpenCounts = Readonly<Record<"ready" | "running" | "scheduled" | "waiting" | "blocked", number>>;

/** Returns how many jobs have not ended. */
export async function countOpen(client: CountingClient): Promise<number> {
  const counts = await client.countJobs();
  return Object.values(counts).reduce(
    (sum, { ready, running, scheduled, waiting, blocked }) => sum + ready + running + scheduled + waiting + blocked,
    0,
  );
}

/** Returns how many jobs have not ended: 0 when all have, more after `longestMs`. */
export async function untilAllEnded(client: CountingClient, longestMs: number): Promise<number> {
  const deadline = Date.now() + longestMs;
  for (;;) {
    const open = await countOpen(client);
    if (open === 0 || Date.now() > deadline) return open;
    await delay(200);
  }
}
