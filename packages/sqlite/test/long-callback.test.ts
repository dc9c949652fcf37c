import { createClient, createProcessors, createWorker, type ChainwrightEvent } from "chainwright";
import { expect, it, onTestFinished } from "vitest";
import { neighbourJobTypes, neighbourLeaseMs as leaseMs, slowJobTypes } from "./fixtures/neighbour-types.ts";
import { runProgram } from "./program.ts";
import { databasePath, migratedStore } from "./store.ts";

const each = 2;
const patience = { timeout: 20_000 };

/** What a program has said, line by line. */
function linesOf(program: ReturnType<typeof runProgram>): () => readonly string[] {
  let said = "";
  program.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return () => said.split("\n");
}

it.each(["commits", "rolls back"] as const)(
  "no lease is lost in any process while a callback keeps the writer for three leases, and then %s",
  { timeout: 90_000 },
  async (end) => {
    const path = databasePath();
    const stateAdapter = await migratedStore({ path });
    const events: ChainwrightEvent[] = [];
    const jobTypes = [slowJobTypes, neighbourJobTypes] as const;
    const client = createClient({ stateAdapter, jobTypes, observers: [(event) => void events.push(event)] });
    const runs: string[] = [];
    const asked = Promise.withResolvers<void>();
    const slowProcessors = createProcessors({
      client,
      jobTypes: slowJobTypes,
      processors: {
        slow: {
          retry: { maxAttempts: 2, backoff: { initialMs: 1, maxMs: 1 } },
          handler: async ({ job, complete }) => {
            runs.push("slow");
            const until = performance.now() + 3 * leaseMs;
            return complete(async () => {
              while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
              if (job.input === "rolls back" && job.attempt === 1) throw new Error("changed its mind");
              return null;
            });
          },
        },
      },
    });
    const neighbourProcessors = createProcessors({
      client,
      jobTypes: neighbourJobTypes,
      processors: {
        neighbour: async ({ job }) => {
          runs.push(job.id);
          await asked.promise;
          return null;
        },
      },
    });
    const options = { client, concurrency: each, prefetch: 0, leaseMs, pollIntervalMs: 20 };
    const workers = [slowProcessors, neighbourProcessors].map((processors) =>
      createWorker({ ...options, processors: [processors] }),
    );
    for (const worker of workers) await worker.start();
    const items = Array.from({ length: each }, () => ({ typeName: "neighbour", input: null }) as const);
    const own = await client.startChains({ items });
    await expect.poll(() => runs.length, patience).toBe(each);
    // All slots of this process are taken: these are the other one's.
    const program = runProgram("neighbour", {}, path);
    onTestFinished(() => void program.kill("SIGKILL"));
    const lines = linesOf(program);
    const others = await client.startChains({ items });
    for (const { id } of others) await expect.poll(lines, patience).toContain(`runs ${id}`);

    const slow = await client.startChain({ typeName: "slow", input: end });
    await client.awaitChain(slow, { timeoutMs: 30_000 });
    asked.resolve();
    program.stdin?.write("end\n");
    for (const { id } of [...own, ...others]) await client.awaitChain({ id }, { timeoutMs: 30_000 });
    expect(events.filter(({ type }) => type === "lease-lost")).toEqual([]);
    expect(lines().filter((line) => line.startsWith("lost"))).toEqual([]);
    expect(runs.filter((run) => run === "slow")).toHaveLength(end === "commits" ? 1 : 2);
    expect(runs).toHaveLength(each + (end === "commits" ? 1 : 2));
    program.stdin?.end();
    for (const worker of workers) await worker.stop();
    await client.close();
  },
);
