import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  type ChainwrightEvent,
  type Middleware,
} from "chainwright";
import type { Claim, LimitChange } from "chainwright/adapter";
import { expect, it, onTestFinished } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: string; output: null } }>();
const limits = defineLimits({ jobTypes, limits: { tenant: { keys: { work: (key) => key }, concurrency: 2 } } });

it("a worker declares limits before its first claim, once, and again until the store has taken them", async () => {
  const store = createInProcessStateAdapter();
  const calls: string[] = [];
  let failures = 2;
  const stateAdapter: typeof store = {
    ...store,
    changeLimits: async (changes: readonly LimitChange[], options) => {
      calls.push(...changes.map(({ kind, limit }) => `${kind} ${limit}`));
      failures -= 1;
      if (failures >= 0) throw new Error("away");
      return await store.changeLimits(changes, options);
    },
    exchange: async (request, options) => {
      if (request.claim !== undefined) calls.push("claim");
      return await store.exchange(request, options);
    },
  };
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], observers: [] });
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors });
  onTestFinished(() => worker.stop());
  await worker.start();
  await client.awaitChain(await client.startChain({ typeName: "work", input: "a" }));
  await client.awaitChain(await client.startChain({ typeName: "work", input: "b" }));
  expect(calls.slice(0, 4)).toEqual(["declare tenant", "declare tenant", "declare tenant", "claim"]);
  expect(calls.filter((call) => call !== "claim")).toHaveLength(3);
});

it("claims of a worker that has met no limits say nothing of them, also when jobs are claimed ahead of the slots", async () => {
  const store = createInProcessStateAdapter();
  const claims: Claim[] = [];
  const stateAdapter: typeof store = {
    ...store,
    exchange: async (request, options) => {
      if (request.claim !== undefined) claims.push(request.claim);
      return await store.exchange(request, options);
    },
  };
  const client = createClient({ stateAdapter, jobTypes });
  const processors = [createProcessors({ client, jobTypes, processors: { work: async () => null } })];
  const worker = createWorker({ client, processors, concurrency: 2 });
  onTestFinished(() => worker.stop());
  const items = Array.from({ length: 100 }, () => ({ typeName: "work", input: "a" }) as const);
  const chains = await client.startChains({ items });
  await worker.start();
  await Promise.all(chains.map((chain) => client.awaitChain(chain)));
  for (const { limited, startable } of claims) expect([limited, startable]).toEqual([undefined, undefined]);
  expect(claims.some(({ limit }) => limit > 2)).toBe(true);
});

it("middleware sees what holdKey throws and rethrows it; a catch that swallows it is a mistake", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const events: ChainwrightEvent[] = [];
  const client = createClient({
    stateAdapter,
    jobTypes,
    limits: [limits],
    observers: [(event) => void events.push(event)],
  });
  const seen: string[] = [];
  const watching: Middleware = async (_attempt, next) => {
    try {
      return await next();
    } catch (error) {
      if (error instanceof Error) seen.push(error.name);
      throw error;
    }
  };
  const processors = createProcessors({
    client,
    jobTypes,
    middleware: [watching],
    processors: {
      work: async ({ job, holdKey }) => {
        try {
          holdKey({ limit: "tenant", forMs: 1 });
        } catch (error) {
          if (job.attempt === 1 && seen.length === 0) throw error;
        }
        return null;
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  onTestFinished(() => worker.stop());
  await worker.start();
  await client.awaitChain(await client.startChain({ typeName: "work", input: "a" }));
  expect(seen).toEqual(["HoldKey"]);
  expect(events.find(({ type }) => type === "attempt-ended")).toMatchObject({ error: undefined });
  expect(events.filter(({ type }) => type === "handler-mistake")).toMatchObject([
    { error: { message: expect.stringContaining("called holdKey, and a catch swallowed what that throws") } },
  ]);
});
