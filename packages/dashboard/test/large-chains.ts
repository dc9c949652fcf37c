import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StateAdapter,
} from "chainwright";

interface Types {
  readonly "page.crawl": { entry: true; input: { left: number }; continueWith: "page.crawl"; output: null };
  readonly "part.read": { entry: true; input: { end: "completed" | "failed" | "active" }; output: null };
  readonly "parts.join": { entry: true; input: null; output: null; blockers: "part.read"[] };
}

const jobTypes = defineJobTypes<Types>();
const batch = 1_000;

interface LargeChainsOptions {
  /** Of the chain that loops. */
  readonly steps: number;
  /** Blockers of the job that waits for them, by how they end. */
  readonly blockers: { readonly completed: number; readonly active: number; readonly failed: number };
}

/** A chain of many steps that loops, and a chain that waits for many others; those that do not complete are the last that it names. */
export async function createLargeChains<Tx>(stateAdapter: StateAdapter<Tx>, { steps, blockers }: LargeChainsOptions) {
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const parts: { readonly id: string }[] = [];
  for (const end of ["completed", "active", "failed"] as const) {
    for (let left = blockers[end]; left > 0; left -= batch) {
      const item = {
        typeName: "part.read",
        input: { end },
        schedule: end === "active" ? { afterMs: 3_600_000 } : undefined,
      } as const;
      parts.push(...(await client.startChains({ items: Array.from({ length: Math.min(left, batch) }, () => item) })));
    }
  }
  const loop = await client.startChain({ typeName: "page.crawl", input: { left: steps - 1 } });
  const join = await client.startChain({
    typeName: "parts.join",
    input: null,
    blockers: parts.map(({ id }) => ({ id, typeName: "part.read" }) as const),
    onBlockerFailure: "wait",
  });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "page.crawl": async ({ job, continueWith }) =>
        job.input.left === 0 ? null : continueWith({ typeName: "page.crawl", input: { left: job.input.left - 1 } }),
      "part.read": async ({ job }) => {
        if (job.input.end === "failed") throw new FatalError("the part is not there");
        return null;
      },
      "parts.join": async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 100, pollIntervalMs: 50 });
  await worker.start();
  await client.awaitChain({ id: loop.id }, { timeoutMs: 3_600_000 });
  const ended = parts.filter((_, at) => at < blockers.completed || at >= blockers.completed + blockers.active);
  await Promise.allSettled(ended.map(async ({ id }) => await client.awaitChain({ id }, { timeoutMs: 3_600_000 })));
  await worker.stop();
  return { client, loop: loop.id as string, join: join.id as string };
}
