import type {
  AttemptError,
  Chain,
  CompletedChain,
  Job,
  JobCounts,
  Page,
  StartOf,
  StartedChain,
  StoredJob,
  WorkerOptions,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import type { AnyClient } from "../../src/types/any-client.ts";
import { client, type TestTx } from "./job-types.ts";

it("a start returns the chain with its own name and input", async () => {
  const chain = await client.startChain({ typeName: "order.place", input: { orderId: "o1" } });
  expectTypeOf(chain).toEqualTypeOf<StartedChain<"order.place", { orderId: string }>>();
  expectTypeOf(chain.createdAt).toEqualTypeOf<Date>();
});

it("several starts return their chains in the items' order", async () => {
  const chains = await client.startChains({
    items: [
      { typeName: "fraud.check", input: { orderId: "o1" } },
      { typeName: "stock.reserve", input: { sku: "s1" }, deduplication: { key: "s1", windowMs: 1_000 } },
    ],
  });
  expectTypeOf(chains[0]).toEqualTypeOf<StartedChain<"fraud.check", { orderId: string }>>();
  expectTypeOf(chains[1]).toEqualTypeOf<StartedChain<"stock.reserve", { sku: string }>>();
});

it("starts made from a list return a list", async () => {
  const chains = await client.startChains({
    items: ["a", "b"].map((orderId) => ({ typeName: "fraud.check" as const, input: { orderId } })),
  });
  expectTypeOf(chains).toEqualTypeOf<readonly StartedChain<"fraud.check", { orderId: string }>[]>();
});

it("every option of a start is typed", async () => {
  await client.startChain({
    tx: undefined,
    typeName: "order.place",
    input: { orderId: "o1" },
    id: "0190a6d1-5d3f-7000-8000-000000000000",
    schedule: { at: new Date() },
    priority: 5,
    pool: "gpu",
    deduplication: { key: "k", scope: "any" },
  });
});

it("a start takes a debounce or a throttle, also from a variable that may have any option", async () => {
  const place = { typeName: "order.place", input: { orderId: "o1" } } as const;
  await client.startChain({ ...place, debounce: { key: "o1", quietMs: 10, maxWaitMs: 100 } });
  await client.startChain({ ...place, throttle: { key: "o1", perMs: 10 } });
  await client.startChain({ ...place, throttle: { key: "o1", perMs: 10, last: true } });
  const start: StartOf<typeof client, "order.place"> = {
    ...place,
    debounce: { key: "o1", quietMs: 10, maxWaitMs: 100 },
  };
  const chain = await client.startChain(start);
  expectTypeOf(chain).toEqualTypeOf<StartedChain<"order.place", { orderId: string }>>();
  await client.startChains({ items: [start, { ...place, throttle: { key: "o1", perMs: 10 } }] });
  // @ts-expect-error two keys
  await client.startChain({ ...place, throttle: { key: "o1", perMs: 10 }, deduplication: { key: "o1" } });
  // @ts-expect-error two keys
  await client.startChain({ ...place, debounce: start.debounce, deduplication: { key: "o1" } });
  // @ts-expect-error two keys
  await client.startChain({ ...place, debounce: start.debounce, throttle: { key: "o1", perMs: 10 } });
  // @ts-expect-error a debounce has an end
  await client.startChain({ ...place, debounce: { key: "o1", quietMs: 10 } });
  // @ts-expect-error it has no other options
  await client.startChain({ ...place, throttle: { key: "o1", perMs: 10, quietMs: 1 } });
});

it("the pool of a start, of a blocker and of a next step is a text, or null for none", async () => {
  const start = { typeName: "order.place", input: { orderId: "o1" } } as const;
  await client.startChains({ items: [{ ...start, pool: "gpu" }, { ...start, pool: null }, start] });
  // @ts-expect-error a pool is a text
  await client.startChain({ ...start, pool: 5 });
  const job = await client.getJob({ id: "j" });
  expectTypeOf(job?.pool).toEqualTypeOf<string | undefined>();
});

it("the pools of a worker are texts, and null for jobs without a pool", () => {
  expectTypeOf<WorkerOptions["pools"]>().toEqualTypeOf<readonly (string | null)[] | undefined>();
});

it("the transaction is the driver's own handle", async () => {
  const result = await client.transaction(async (tx) => {
    expectTypeOf(tx).toEqualTypeOf<TestTx>();
    await client.startChain({ tx, typeName: "order.place", input: { orderId: "o1" } });
    return 5;
  });
  expectTypeOf(result).toEqualTypeOf<number>();
  expectTypeOf(client.committed).parameter(0).toEqualTypeOf<TestTx>();
});

it("an awaited chain has the outputs of every end it can reach", async () => {
  const chain = await client.awaitChain({ id: "c", typeName: "order.place" }, { timeoutMs: 1_000 });
  expectTypeOf(chain).toEqualTypeOf<
    CompletedChain<"order.place", { orderId: string }, { receipt: string } | { refunded: true }>
  >();
});

it("a started chain can be awaited as it is", async () => {
  const started = await client.startChain({ typeName: "fraud.check", input: { orderId: "o1" } });
  const { output } = await client.awaitChain(started);
  expectTypeOf(output).toEqualTypeOf<{ score: number }>();
});

it("the status of a chain narrows its other properties", async () => {
  const chain = await client.getChain({ id: "c", typeName: "fraud.check" });
  if (chain === undefined) return;
  if (chain.status === "completed") expectTypeOf(chain.output).toEqualTypeOf<{ score: number }>();
  if (chain.status === "failed") expectTypeOf(chain.error).toEqualTypeOf<AttemptError>();
  if (chain.status === "cancelled") expectTypeOf(chain.reason).toEqualTypeOf<string | undefined>();
  if (chain.status === "active") expectTypeOf(chain.endedAt).toEqualTypeOf<undefined>();
  else expectTypeOf(chain.endedAt).toEqualTypeOf<Date>();
});

it("lists are narrowed by one type or several", async () => {
  const one = await client.listJobs({ typeName: "order.place", status: "ready", limit: 10 });
  expectTypeOf(one).toEqualTypeOf<Page<StoredJob<"order.place", { orderId: string }, never>>>();
  const chains = await client.listChains({ typeName: ["fraud.check", "stock.reserve"], status: ["failed"] });
  expectTypeOf(chains.items[0]?.typeName).toEqualTypeOf<"fraud.check" | "stock.reserve" | undefined>();
  const steps = await client.listChainJobs({ id: "c", typeName: "order.charge" });
  expectTypeOf(steps.items[0]?.input).toEqualTypeOf<{ orderId: string; cents: number } | undefined>();
  const scheduled = await client.listScheduledJobs({ typeName: "order.place" });
  expectTypeOf(scheduled.items[0]?.typeName).toEqualTypeOf<"order.place" | undefined>();
  await client.listChains({ maxScanned: 1_000 });
  await client.listJobs({ maxScanned: 1_000 });
  // @ts-expect-error: a chain's own steps are not searched for
  await client.listChainJobs({ id: "c", maxScanned: 1_000 });
  const blocked = await client.listBlockedJobs({ id: "c" });
  expectTypeOf(blocked.items[0]?.attempt).toEqualTypeOf<number | undefined>();
  const blockers = await client.listJobBlockers({ id: "j" });
  expectTypeOf(blockers.items[0]?.position).toEqualTypeOf<number | undefined>();
  expectTypeOf(blockers.nextCursor).toEqualTypeOf<string | undefined>();
});

it("a chain is ended or advanced from outside with the payload of its step", async () => {
  await client.completeChain({ id: "c", typeName: "order.charge", output: { receipt: "r" } });
  await client.continueChain({
    id: "c",
    typeName: "order.charge",
    with: { typeName: "order.refund", input: { orderId: "o1" }, schedule: { afterMs: 5 } },
  });
  await client.continueChain({
    id: "c",
    typeName: "order.place",
    with: {
      typeName: "order.charge",
      input: { orderId: "o1", cents: 1 },
      blockers: [{ typeName: "stock.reserve", input: { sku: "s" } }],
    },
  });
});

it("a retried chain may be given another input", async () => {
  await client.retryChain({ id: "c" });
  await client.retryChain({ id: "c", typeName: "order.charge", input: { orderId: "o1", cents: 5 } });
  await client.retryChain({ id: "c", typeName: "order.charge" });
  await client.retryChains({ items: [{ id: "c" }, { id: "d", typeName: "fraud.check", input: { orderId: "o2" } }] });
  await client.retryChains({ items: ["c", "d"].map((id) => ({ id })) });
  const { items } = await client.listChains({ typeName: ["fraud.check", "stock.reserve"], status: "failed" });
  await client.retryChains({ items: items.map(({ id, typeName }) => ({ id, typeName })) });
});

it("calls that need no types work without them", async () => {
  await client.triggerJob({ id: "j" });
  await client.triggerJobs({ items: [{ id: "j" }] });
  await client.cancelChain({ id: "c", reason: "by hand" });
  await client.cancelChains({ items: [{ id: "c" }] });
  expectTypeOf(await client.deleteChain({ id: "c", cascade: true })).toEqualTypeOf<readonly string[]>();
  expectTypeOf(await client.deleteChains({ items: [{ id: "c" }] })).toEqualTypeOf<readonly string[]>();
  expectTypeOf((await client.explainJob({ id: "j" }))?.summary).toEqualTypeOf<string | undefined>();
  expectTypeOf((await client.listWorkers())[0]?.holds).toEqualTypeOf<number | undefined>();
  expectTypeOf((await client.countJobs())["order.place"]?.ready).toEqualTypeOf<number | undefined>();
  expectTypeOf((await client.countQueuedJobs())[0]?.pool).toEqualTypeOf<string | undefined>();
  expectTypeOf<Job<"a", 1, []>["idempotencyKey"]>().toEqualTypeOf<string>();
});

it("a client is disposed at the end of the block that declares it", async () => {
  await using held = client;
  expectTypeOf(held.close()).toEqualTypeOf<Promise<void>>();
});

it("every client is a client of any job types", () => {
  const any: AnyClient = client;
  expectTypeOf(any.countJobs()).resolves.toEqualTypeOf<{ readonly [typeName: string]: JobCounts | undefined }>();
});

it("results of a client can be passed on without its types", async () => {
  const chain = await client.getChain({ id: "c", typeName: "order.place" });
  const untyped: Chain | undefined = chain;
  const started: StartedChain<string, unknown> = await client.startChain({
    typeName: "fraud.check",
    input: { orderId: "" },
  });
  const job: StoredJob<string, unknown, unknown> | undefined = await client.getJob({
    id: "j",
    typeName: "order.place",
  });
  void [untyped, started, job];
});

it("pauses name declared job types, steps that are no entries included", async () => {
  await client.pauseJobTypes({ typeNames: ["order.place", "order.charge"], reason: "why", by: "ada", forMs: 1_000 });
  await client.transaction(async (tx) => {
    await client.pauseJobTypes({ typeNames: ["order.place"], tx });
    await client.resumeJobTypes({ typeNames: ["order.place"], tx });
  });
  await client.awaitIdle({ typeNames: ["order.place"], pending: true, timeoutMs: 1_000, signal: undefined });
  expectTypeOf((await client.listPausedTypes())[0]?.until).toEqualTypeOf<Date | undefined>();
  expectTypeOf((await client.explainJob({ id: "j" }))?.paused?.until).toEqualTypeOf<Date | undefined>();
  // @ts-expect-error -- no such job type
  await client.pauseJobTypes({ typeNames: ["order.plaec"] });
  // @ts-expect-error -- no such job type
  await client.resumeJobTypes({ typeNames: ["order.plaec"] });
  // @ts-expect-error -- no such job type
  await client.awaitIdle({ typeNames: ["order.plaec"] });
  // @ts-expect-error -- a time is a number of milliseconds
  await client.pauseJobTypes({ typeNames: ["order.place"], forMs: "1h" });
});
