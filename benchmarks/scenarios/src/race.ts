import { now, type Servers } from "@chainwright/bench-measuring";
import { createClient, defineJobTypes } from "chainwright";
import type { OpenStore } from "./store.ts";

const jobTypes = defineJobTypes<{
  raced: { entry: true; input: { text: string }; output: { done: true } };
}>();

export interface RaceRequest {
  readonly row: string;
  readonly servers: Servers;
  readonly place: string;
  readonly keys: number;
  readonly callers: number;
}

/** What the callers of one process saw. */
export interface RaceFigures {
  readonly begunAt: number;
  readonly endedAt: number;
  readonly cpuMicros: number;
  /** For each key the chains that starts returned; one, if all is well. */
  readonly chains: readonly (readonly string[])[];
  /** Starts that reported a new chain. */
  readonly created: number;
}

/** Each caller starts each key once, one after the other, all in the same order. */
export async function race(open: OpenStore, { keys, callers }: RaceRequest): Promise<RaceFigures> {
  const client = createClient({ ...open.adapters, jobTypes });
  const chains = Array.from({ length: keys }, () => new Set<string>());
  let created = 0;
  const cpu = process.cpuUsage();
  const begunAt = now();
  const call = async (): Promise<void> => {
    for (const [index, ids] of chains.entries()) {
      const started = await client.startChain({
        typeName: "raced",
        input: { text: "x".repeat(20) },
        deduplication: { key: `key ${index}`, scope: "any" },
      });
      ids.add(started.id);
      if (!started.deduplicated) created += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const endedAt = now();
  const { user, system } = process.cpuUsage(cpu);
  await client.close();
  return { begunAt, endedAt, cpuMicros: user + system, chains: chains.map((ids) => [...ids]), created };
}
