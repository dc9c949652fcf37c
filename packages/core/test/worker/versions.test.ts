import {
  createClient,
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineVersions,
  stored,
  type ChainEvent,
  type ChainId,
  type JobId,
} from "chainwright";
import { recordEvents } from "chainwright/testing";
import { expect, it } from "vitest";
import { hintsOf } from "../../src/hints/hints-of-events.ts";

const text = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) =>
      typeof value === "object" && value !== null && "text" in value && typeof value.text === "string"
        ? { value: { shouted: value.text.toUpperCase() } }
        : { issues: [{ message: "is missing", path: ["text"] }] },
    types: undefined as { readonly input: { text: string }; readonly output: { shouted: string } } | undefined,
  },
} as const;
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;

const first = defineJobTypes<{ say: { entry: true; input: string; output: unknown } }>();
const second = defineJobTypes({ say: { entry: true, input: text, output: any } });

function setUp(up: (v1: string) => { text: string }) {
  const stateAdapter = createInProcessStateAdapter();
  const notifyAdapter = createInProcessNotifyAdapter();
  const events = recordEvents();
  const versions = [defineVersions({ jobTypes: second, inputs: { say: stored<string>().then(up) } })] as const;
  const old = createClient({ stateAdapter, notifyAdapter, jobTypes: first });
  const client = createClient({
    stateAdapter,
    notifyAdapter,
    jobTypes: second,
    versions,
    observers: [events.observer],
  });
  const processors = createProcessors({
    client,
    jobTypes: second,
    processors: { say: { retry: { maxAttempts: 1 }, handler: async ({ job }) => job.input.shouted } },
  });
  const worker = createWorker({ client, processors: [processors], pollIntervalMs: 60_000 });
  const starter = createClient({ stateAdapter, notifyAdapter, jobTypes: second, versions });
  const stop = async (): Promise<void> => {
    await worker.stop({ timeoutMs: 0 });
    await Promise.all([old.close(), client.close(), starter.close()]);
  };
  return { old, client, starter, worker, events, stop };
}

it("lifts an input before its schema reads it, and a reader sees what the schema was given", async () => {
  const { old, client, worker, stop } = setUp((v1) => ({ text: v1 }));
  const { id } = await old.startChain({ typeName: "say", input: "hello" });
  await worker.start();
  const chain = await client.awaitChain({ id, typeName: "say" }, { timeoutMs: 5_000 });
  expect(chain).toMatchObject({ input: { text: "hello" }, output: "HELLO", version: 1 });
  await stop();
});

it("uses up no attempt for a lifted input that its schema refuses, and says why", async () => {
  const { old, client, worker, events, stop } = setUp((v1) => ({ txt: v1 }) as never);
  const { id } = await old.startChain({ typeName: "say", input: "hello" });
  await worker.start();
  expect(await events.next("input-unreadable")).toMatchObject({
    jobId: id,
    payload: "input",
    ofTypeName: "say",
    version: 1,
    reason: "schema",
    attempt: 1,
  });
  await events.next("job-retried");
  expect((await client.listChainJobs({ id })).items[0]).toMatchObject({ status: "scheduled", attempt: 0 });
  expect((await client.listUnreadable()).items).toMatchObject([{ reason: "schema", issues: ["text: is missing"] }]);
  await stop();
});

it("a job of a later version wakes a worker in another process that reads it", async () => {
  const { client, starter, worker, events, stop } = setUp((v1) => ({ text: v1 }));
  await worker.start();
  await events.next("exchanged");
  const { id } = await starter.startChain({ typeName: "say", input: { text: "now" } });
  const chain = await client.awaitChain({ id, typeName: "say" }, { timeoutMs: 5_000 });
  expect(chain).toMatchObject({ output: "NOW", version: 2 });
  await stop();
});

it("a hint about a job of a later version names what workers claim, so that older workers do not look for it", () => {
  const job = { jobId: "j" as JobId, chainId: "c" as ChainId, typeName: "say" };
  const claimName = "say\u0001#2";
  const started = { type: "job-started", cause: "start", status: "ready", dueInMs: undefined, ...job } as const;
  const namesOf = (event: ChainEvent) =>
    hintsOf([event], { announcedEnds: "all", limitsOf: () => [] }).map((hint) => "typeName" in hint && hint.typeName);
  expect(namesOf(started)).toEqual(["say"]);
  expect(namesOf({ ...started, claimName })).toEqual([claimName]);
  expect(namesOf({ type: "job-unblocked", dueInMs: undefined, ...job, claimName })).toEqual([claimName]);
});
