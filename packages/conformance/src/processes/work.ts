import { setTimeout as delay } from "node:timers/promises";
import { createProcessors, createWorker, isChainwrightError } from "chainwright";
import { jobTypes, leaseMs, outputOfPart } from "./job-types.ts";
import type { PassPoint } from "./kill-points.ts";
import type { ProcessClient } from "./client.ts";

/** Processes die often here, and no job may run out of attempts. */
const retry = { maxAttempts: 1_000, backoff: { initialMs: 10, maxMs: 10 } } as const;

/** A worker that runs until the input of the process ends. */
export async function work(client: ProcessClient, pass: PassPoint): Promise<void> {
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      order: {
        retry,
        handler: async ({ job, complete }) => {
          const sum = job.blockers.reduce((total, { output }) => total + output, 0);
          return complete(async ({ tx, continueWith }) => {
            await client.startChain({ tx, typeName: "effect", input: { of: job.id } });
            return continueWith({ typeName: "charge", input: { n: job.input.n, sum } });
          });
        },
      },
      charge: {
        retry,
        handler: async ({ job, complete }) =>
          complete(async ({ tx }) => {
            await client.startChain({ tx, typeName: "effect", input: { of: job.id } });
            return job.input;
          }),
      },
      part: {
        retry,
        handler: async ({ job }) => {
          await pass("while a handler runs");
          if (job.attempt === 1 && job.input.n % 3 === 0) throw new Error("every third order fails at first");
          return outputOfPart(job.input);
        },
      },
      effect: { retry, handler: async () => null },
    },
  });
  const worker = createWorker({
    client,
    processors: [processors],
    concurrency: 4,
    leaseMs,
    pollIntervalMs: 100,
    retention: { completedMs: Infinity },
  });
  await worker.start();
  process.stdout.write("begun\n");
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
  await worker.stop({ timeoutMs: 5_000 });
}

/** Starts the orders, every second one in a transaction. A start that another process has made already does nothing. */
export async function startOrders(client: ProcessClient, orders: number): Promise<void> {
  process.stdout.write("begun\n");
  for (let n = 0; n < orders; n += 1) {
    const start = (tx?: Parameters<Parameters<ProcessClient["transaction"]>[0]>[0]) =>
      client.startChain({
        tx,
        typeName: "order",
        input: { n },
        blockers: [
          { typeName: "part", input: { n, part: 1 } },
          { typeName: "part", input: { n, part: 2 } },
        ],
        deduplication: { key: `order-${n}`, scope: "any" },
      });
    await insist(() => (n % 2 === 0 ? start() : client.transaction(start)));
  }
}

/** Repeats a call that the store has refused, as a process does that runs beside others. */
async function insist(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      const codes = ["transaction-conflict", "store-unavailable"] as const;
      if (!codes.some((code) => isChainwrightError(error, code))) throw error;
      await delay(20);
    }
  }
}
