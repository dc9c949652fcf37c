import { setTimeout as delay } from "node:timers/promises";
import { isChainwrightError } from "chainwright";
import type { Rig } from "./rig.ts";

/** Repeated work that must leave nothing behind. */
export interface Trial {
  /** Does it this many times. */
  round(): Promise<void>;
  readonly perRound: number;
}

export type TrialName = "jobs" | "waits" | "reconnects";

const jobsPerRound = 500;
const waitsPerRound = 500;

/** Jobs started, run and deleted, every second one in its own transaction. */
export function createJobsTrial({ client, counted }: Rig): Trial {
  return {
    perRound: jobsPerRound,
    round: async () => {
      const goal = counted.ran + jobsPerRound;
      const items = Array.from({ length: jobsPerRound }, (_, n) => ({
        typeName: n % 2 === 0 ? ("value" as const) : ("atomic" as const),
        input: { n },
      }));
      const chains = await client.startChains({ items });
      while (counted.ran < goal) await delay(1);
      const areOpen = async () => {
        const { value, atomic } = await client.countJobs();
        return (value?.running ?? 0) + (atomic?.running ?? 0) + (value?.ready ?? 0) + (atomic?.ready ?? 0) > 0;
      };
      while (await areOpen()) await delay(1);
      await client.deleteChains({ items: chains.map(({ id }) => ({ id })) });
    },
  };
}

/** Waits for a chain that does not end, every second one with a signal that outlives it. */
export async function createWaitsTrial({ client, signal }: Rig): Promise<Trial> {
  const { id } = await client.startChain({ typeName: "parked", input: null });
  const wait = async (n: number): Promise<void> => {
    try {
      await client.awaitChain({ id }, { timeoutMs: 1, signal: n % 2 === 0 ? signal : undefined });
    } catch (error) {
      if (!isChainwrightError(error, "await-timeout")) throw error;
    }
  };
  return {
    perRound: waitsPerRound,
    round: async () => void (await Promise.all(Array.from({ length: waitsPerRound }, (_, n) => wait(n)))),
  };
}

/** Broken connections, until the notify adapter has its subscription back. */
export async function createReconnectsTrial({ pair }: Rig): Promise<Trial | undefined> {
  const { cut, notifyAdapter } = pair;
  if (cut === undefined) return undefined;
  const seen = { restored: 0 };
  await notifyAdapter.subscribe({
    onMessage: () => undefined,
    onLost: () => undefined,
    onRestored: () => {
      seen.restored += 1;
    },
  });
  return {
    perRound: 1,
    round: async () => {
      const goal = seen.restored + 1;
      cut();
      while (seen.restored < goal) await delay(1);
    },
  };
}
