import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type WorkerOptions,
} from "chainwright";
import { createVirtualClock, drain } from "chainwright/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { schema } from "./types/schema.ts";

// What someone reads who makes a mistake that is usual in the first week.

const jobTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: unknown }; output: unknown; continueWith: "mail.send" };
}>();
type Handler = () => Promise<unknown>;

function setUp(handler: Handler = async () => null) {
  const clock = createVirtualClock();
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, jobTypes, clock, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    retry: { maxAttempts: 1 },
    timeoutMs: 300,
    processors: { "mail.send": handler },
  });
  const start = (input: unknown) => client.startChain({ typeName: "mail.send", input: input as { to: unknown } });
  const createOne = (options: WorkerOptions = {}) => createWorker({ client, processors: [processors], ...options });
  return { clock, stateAdapter, client, processors, start, createOne };
}

class Address {
  street = "Main Street";
}
const circle: { to?: unknown } = {};
circle.to = circle;
const json = "which JSON cannot carry";

describe("an input that JSON cannot carry", () => {
  it.each([
    ["undefined", undefined, `the input of "mail.send" is undefined, ${json}; use null.`],
    ["a Date", { to: new Date() }, `at .to is a Date, ${json}; convert it to a string or a plain object.`],
    [
      "a Map",
      { to: { a: [1, new Map()] } },
      `at .to.a[1] is a Map, ${json}; convert it to a string or a plain object.`,
    ],
    ["a bigint", { to: 1n }, `at .to is a bigint, ${json}; use a string.`],
    ["NaN", { to: Number.NaN }, `at .to is NaN, ${json}; use null or a string.`],
    [
      "an instance",
      { to: new Address() },
      "is an instance of a class, whose methods and private fields JSON would drop;",
    ],
    ["a cycle", circle, "it is nested too deeply or refers to itself."],
    [
      "2 MB",
      { to: "x".repeat(2 << 20) },
      "the limit is 1048576. Store the data elsewhere and pass a reference, or raise",
    ],
  ])("is refused with its place and what to do: %s", async (_, input, message) => {
    const { start } = setUp();
    await expect(start(input)).rejects.toThrow(message);
  });
});

describe("an option that does not exist or is out of range", () => {
  it.each([
    [{ leasMs: 1_000 }, 'createWorker has no option "leasMs"; its options are client, processors,'],
    [{ pollIntervalMs: 1e9 }, "pollIntervalMs must be a number of milliseconds from 1 to 60000; got 1000000000."],
    [{ timeoutMs: -1 }, "timeoutMs of createWorker must be a number of milliseconds from 1 to "],
    [{ retry: { maxAttempts: 0 } }, "retry.maxAttempts of createWorker must be an integer from 1 to "],
    [
      { processors: [] },
      "processors must have a handler for at least one job type; got none. Pass what createProcessors",
    ],
  ])("is refused by createWorker: %o", (options, message) => {
    const { createOne } = setUp();
    expect(() => createOne(options as WorkerOptions)).toThrow(message);
  });

  it("is refused by startChain, with the options that exist", async () => {
    const { client } = setUp();
    const start = { typeName: "mail.send", input: { to: "ada" }, prority: 1 } as const;
    await expect(client.startChain(start as never)).rejects.toThrow(
      'a start has no option "prority"; its options are typeName, input,',
    );
  });
});

const forever: Handler = () => new Promise(() => undefined);
const thrower = (thrown: unknown): Handler => {
  return async () => {
    throw thrown;
  };
};

describe("a handler that goes wrong", () => {
  it.each<[string, Handler, string]>([
    ["throws a TypeError", thrower(new TypeError("x is not a function")), "failed: TypeError: x is not a function."],
    ["throws a text", thrower("boom"), "failed: Error: boom."],
    ["throws an object", thrower({ code: 42 }), "failed: Error: { code: 42 }."],
    [
      "throws an error with a cause",
      thrower(new FatalError("fetch failed", { cause: new Error("connect ECONNREFUSED") })),
      "failed: FatalError: fetch failed (cause: Error: connect ECONNREFUSED).",
    ],
    ["returns a Date", async () => ({ at: new Date() }), `the output of "mail.send" at .at is a Date, ${json};`],
    ["never ends", forever, "has not ended within 300 ms; set timeoutMs if it needs longer."],
  ])("is named by awaitChain, the chain and explainChain: it %s", async (_, handler, message) => {
    const { clock, client, start, createOne } = setUp(handler);
    const worker = createOne();
    await worker.start();
    const { id } = await start({ to: "ada" });
    await clock.advance(1_000);
    await drain({ client });
    await expect(client.awaitChain({ id })).rejects.toThrow(message);
    const explained = await client.explainChain({ id });
    expect(explained?.summary).toContain(explained?.lastError?.message);
    await worker.stop();
  });
});

describe("a name that no job type has", () => {
  it("is refused by a client whose job types have schemas, and the names are listed", async () => {
    const declared = defineJobTypes({
      "mail.send": { entry: true, input: schema<string>(), output: schema<string>() },
    });
    const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: declared });
    await expect(client.startChain({ typeName: "mail.sned", input: "ada" } as never)).rejects.toThrow(
      '"mail.sned" is not a job type of this client; it has "mail.send".',
    );
  });

  it("is accepted by a client with types alone, which do not exist at run time, and explainChain says what is wrong", async () => {
    const { client, createOne } = setUp();
    const worker = createOne();
    await worker.start();
    const { id } = await client.startChain({ typeName: "mail.sned" as "mail.send", input: { to: "ada" } });
    await drain({ client });
    expect((await client.explainChain({ id }))?.summary).toContain('no live worker handles "mail.sned"');
    await worker.stop();
  });
});

describe("a wait", () => {
  it("that ends too early names the step, and says that the chain continues", async () => {
    const { clock, client, start } = setUp();
    const { id } = await start({ to: "ada" });
    const wait = client.awaitChain({ id }, { timeoutMs: 10 }).catch((error: unknown) => String(error));
    await clock.advance(10);
    expect(await wait).toContain(
      `chain ${id} has not ended within 10 ms; it continues without this wait. Its step "mail.send" is ready.`,
    );
  });
});

describe("shutting down", () => {
  const orders = [
    ["worker", "client", "store"],
    ["client", "worker", "store"],
    ["store", "worker", "client"],
    ["store", "client", "worker"],
  ] as const;

  it.each(orders)("ends without an error and without a report in the order %s, %s, %s", async (...order) => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const stateAdapter = createInProcessStateAdapter();
    const client = createClient({ stateAdapter, jobTypes });
    const processors = createProcessors({ client, jobTypes, processors: { "mail.send": async () => null } });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    const end = { worker: () => worker.stop(), client: () => client.close(), store: () => stateAdapter.close() };
    for (const part of order) await end[part]();
    await Promise.all([worker.stop(), client.close(), stateAdapter.close()]);
    expect(told).not.toHaveBeenCalled();
    await expect(client.startChain({ typeName: "mail.send", input: { to: "ada" } })).rejects.toMatchObject({
      code: "closed",
    });
  });

  it("leaves a worker running whose client is closed, and its health says so, because it still runs jobs", async () => {
    const { stateAdapter, client, start, createOne } = setUp();
    const worker = createOne();
    await worker.start();
    const { id } = await start({ to: "ada" });
    await client.close();
    expect(worker.health().status).toBe("running");
    const other = createClient({ stateAdapter, jobTypes, observers: [] });
    await expect(other.awaitChain({ id })).resolves.toMatchObject({ status: "completed" });
    await worker.stop();
    expect(worker.health().status).toBe("stopping");
  });
});
