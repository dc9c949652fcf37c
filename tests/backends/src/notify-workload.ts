import { randomUUID } from "node:crypto";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type NotifyAdapter,
} from "chainwright";
import { fated, fates } from "./notify-fates.ts";
import type { Fate } from "./notify-fates.ts";
import type { OpenedAdapter } from "./notify-faults.ts";

const jobTypes = defineJobTypes<{
  begin: { entry: true; input: { n: number }; continueWith: "middle" };
  middle: { input: { n: number }; continueWith: "middle" | "end"; output: { early: number } };
  end: { input: { n: number }; output: { sum: number }; blockers: ["side"] };
  side: { entry: true; input: { n: number }; output: { side: number } };
}>();

/**
 * Runs the same workload once for each fate, with real notifications first. Each run has its own channels.
 *
 * @param open opens an adapter whose channel names begin with the prefix
 * @returns how the chains ended, a list for each fate
 */
export async function playEveryFate(open: (prefix: string) => Promise<OpenedAdapter>): Promise<(readonly unknown[])[]> {
  const ends = [];
  for (const fate of fates) {
    const prefix = `w_${randomUUID().replaceAll("-", "_")}`;
    ends.push(await playWorkload(() => open(prefix), fate));
  }
  return ends;
}

/**
 * Runs the workload (chains with branches, loops, blockers, failures and retries) on two clients that are connected by the
 * adapters, and returns how each chain ended. Chains start while earlier ones run.
 */
async function playWorkload(open: () => Promise<OpenedAdapter>, fate: Fate): Promise<readonly unknown[]> {
  const stateAdapter = createInProcessStateAdapter();
  const opened = [await open(), await open()];
  const clients = opened.map(({ adapter }) => createWorkloadClient(stateAdapter, fated(adapter, fate)));
  const workers = clients.map((client) =>
    // This worker polls often enough that the workload also ends without hints.
    createWorker({ client, processors: [processorsOf(client)], concurrency: 3, pollIntervalMs: 50 }),
  );
  const [first, second] = clients;
  if (first === undefined || second === undefined) throw new Error("the workload needs two clients");
  try {
    for (const worker of workers) await worker.start();
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      const client = n % 2 === 0 ? first : second;
      ids.push((await client.startChain({ typeName: "begin", input: { n } })).id);
    }
    const ends = await Promise.allSettled(ids.map((id) => second.awaitChain({ id }, { timeoutMs: 30_000 })));
    return await Promise.all(
      ids.map(async (id, index) => {
        const chain = await first.getChain({ id });
        const { items } = await first.listChainJobs({ id });
        const steps = items.map(({ typeName, status, attempt }) => ({ typeName, status, attempt }));
        return {
          status: chain?.status,
          output: chain !== undefined && "output" in chain ? chain.output : null,
          steps,
          awaited: ends[index]?.status,
        };
      }),
    );
  } finally {
    for (const worker of workers) await worker.stop();
    for (const client of clients) await client.close();
    for (const { adapter, close } of opened) {
      await adapter.close();
      await close();
    }
  }
}

const createWorkloadClient = (
  stateAdapter: ReturnType<typeof createInProcessStateAdapter>,
  notifyAdapter: NotifyAdapter,
) => createClient({ stateAdapter, notifyAdapter, jobTypes });

function processorsOf(client: ReturnType<typeof createWorkloadClient>) {
  return createProcessors({
    client,
    jobTypes,
    processors: {
      begin: async ({ job, continueWith }) => continueWith({ typeName: "middle", input: { n: job.input.n } }),
      middle: {
        retry: { maxAttempts: 3, backoff: { initialMs: 5, multiplier: 1, maxMs: 5, jitter: 0 } },
        handler: async ({ job, continueWith }) => {
          const { n } = job.input;
          if (n % 7 === 3) throw new Error("it never works");
          if (n % 5 === 1 && job.attempt === 1) throw new Error("it works the second time");
          if (n % 4 === 0) return { early: n };
          if (n > 100)
            return continueWith({ typeName: "end", input: { n }, blockers: [{ typeName: "side", input: { n } }] });
          return continueWith({ typeName: "middle", input: { n: n + 101 } });
        },
      },
      end: async ({ job }) => ({ sum: job.input.n + job.blockers[0].output.side }),
      side: async ({ job }) => ({ side: job.input.n * 2 }),
    },
  });
}
