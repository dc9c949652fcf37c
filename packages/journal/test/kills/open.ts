import { setTimeout as delay } from "node:timers/promises";
import { createClient, createProcessors, createWorker } from "chainwright";
import { openFolder } from "../../src/open-folder.ts";
import { killedJobTypes as jobTypes } from "./job-types.ts";
import type { TakeNote } from "./notes.ts";

/** Of a run: where its journal is, and how long a sync may wait. */
export interface KilledFolder {
  readonly folder: string;
  /** Undefined: `full`. */
  readonly intervalMs?: number | undefined;
}

/** Small files, so that many kills hit a new segment and a snapshot. */
const small = { segmentBytes: 200_000, snapshotBytes: 300_000 };

/** A client and a worker on a journal. */
export async function openWork({ folder, intervalMs }: KilledFolder, note: TakeNote) {
  const stateAdapter = await openFolder({ folder, intervalMs, clock: undefined, ...small });
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const begin = async ({ id, chainId, attempt }: { id: string; chainId: string; attempt: number }) => {
    note({ kind: "ran", chain: chainId, job: id, attempt });
    await delay(Math.random() * 4);
  };
  const processors = createProcessors({
    client,
    jobTypes,
    // Kills end attempts as well, so there are many.
    retry: { maxAttempts: 1_000, backoff: { initialMs: 5, multiplier: 1, maxMs: 5 } },
    processors: {
      "member.begin": async ({ job, continueWith }) => {
        await begin(job);
        if (job.input.fails && job.attempt === 1) throw new Error("it fails once, as planned");
        const { group, of } = job.input;
        return continueWith({ typeName: "member.end", input: { group, of } });
      },
      "member.end": async ({ job }) => {
        await begin(job);
        return null;
      },
    },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 30, pollIntervalMs: 100 });
  const close = async (): Promise<void> => {
    await worker.stop({ timeoutMs: 5_000 });
    await client.close();
    await stateAdapter.close();
  };
  return { client, worker, close };
}

export type KilledClient = Awaited<ReturnType<typeof openWork>>["client"];
