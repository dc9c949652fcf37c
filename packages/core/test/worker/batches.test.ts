import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  forEachJob,
  type Middleware,
} from "chainwright";
import { expect, it } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: number; output: string } }>();

const shown = (attempt: Parameters<Middleware>[0]) => attempt.jobs?.map(({ input }) => input);

it.each([
  [{ maxSize: 0, maxWaitMs: 1 }, "batch.maxSize"],
  [{ maxSize: 10_001, maxWaitMs: 1 }, "batch.maxSize"],
  [{ maxSize: 10, maxWaitMs: 15_001 }, "at most half of leaseMs"],
  [{ maxSize: 500, maxWaitMs: 1 }, "must be at least 9 for batches of 500"],
] as const)("a worker refuses the batch %j", (batch, message) => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  const create = () =>
    createWorker({
      client,
      processors: [
        createProcessors({
          client,
          jobTypes,
          processors: {
            work: {
              retry: { maxAttempts: 8 },
              batch: { ...batch, handler: async ({ jobs }) => jobs.map(() => "done") },
            },
          },
        }),
      ],
    });
  expect(create).toThrow(message);
});

it("middleware sees the jobs of a batch, and with forEachJob each of them with its own result", async () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  const seen: unknown[] = [];
  const whole: Middleware = async (attempt, next) => {
    seen.push(shown(attempt));
    return await next();
  };
  const each: Middleware = async ({ job }, next) => {
    if (job.input === 1) throw new Error("not for the handler");
    try {
      seen.push([job.input, await next()]);
    } catch (error) {
      seen.push([job.input, String(error)]);
      throw error;
    }
    return await next();
  };
  const processors = createProcessors({
    client,
    jobTypes,
    middleware: [whole, forEachJob(each)],
    processors: {
      work: {
        retry: { maxAttempts: 3 },
        batch: {
          maxSize: 4,
          maxWaitMs: 1_000,
          handler: async ({ jobs, failed }) =>
            jobs.map(({ input }) => (input === 2 ? failed.fatal("gone") : `did ${input} of ${jobs.length}`)),
        },
      },
    },
  });
  const items = [0, 1, 2, 3].map((input) => ({ typeName: "work", input }) as const);
  const [first, second, third] = await client.startChains({ items });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const { output } = await client.awaitChain({ id: first?.id ?? "", typeName: "work" }, { timeoutMs: 5_000 });
  await worker.stop();
  expect(output).toBe("did 0 of 3");
  expect(seen).toEqual([
    [0, 1, 2, 3],
    [0, "did 0 of 3"],
    [2, "FatalError: gone"],
    [3, "did 3 of 3"],
  ]);
  expect((await client.getChain({ id: third?.id ?? "" }))?.status).toBe("failed");
  expect((await client.getJob({ id: String(second?.id) }))?.lastError?.message).toBe("not for the handler");
  await client.close();
});
