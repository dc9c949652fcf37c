import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { recordEvents } from "chainwright/testing";
import { expect, it } from "vitest";

/** A text that is validated when the test says so. */
function slowText() {
  const begun = Promise.withResolvers<void>();
  const verdict = Promise.withResolvers<void>();
  const schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      async validate(value: unknown) {
        begun.resolve();
        await verdict.promise;
        return { value: String(value) };
      },
    },
  } as const;
  return { schema, begun: begun.promise, verdict };
}

const untyped = defineJobTypes<{ say: { entry: true; input: string; output: string } }>();

function setUp() {
  const stateAdapter = createInProcessStateAdapter();
  const events = recordEvents();
  const { schema, begun, verdict } = slowText();
  const jobTypes = defineJobTypes({ say: { entry: true, input: schema, output: schema } });
  const client = createClient({ stateAdapter, jobTypes, observers: [events.observer] });
  const read: unknown[] = [];
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { say: async ({ job }) => (read.push(job.input), job.input) },
  });
  const worker = createWorker({ client, processors: [processors], pollIntervalMs: 5 });
  const start = () => createClient({ stateAdapter, jobTypes: untyped }).startChain({ typeName: "say", input: "hello" });
  return { client, worker, start, events, begun, verdict, read };
}

it("does not call the handler of a job whose worker was stopped while an asynchronous schema read the input", async () => {
  const { client, worker, start, begun, verdict, read } = setUp();
  const { id } = await start();
  await worker.start();
  await begun;
  await worker.stop({ timeoutMs: 0 });
  verdict.resolve();
  await new Promise(setImmediate);
  expect(read).toEqual([]);
  expect((await client.listChainJobs({ id })).items[0]).toMatchObject({ status: "ready", attempt: 0 });
  await client.close();
});

it("keeps a job whose asynchronous schema rejects, with the cause of it", async () => {
  const { client, worker, start, events, verdict, read } = setUp();
  const { id } = await start();
  verdict.reject(new TypeError("the list of names is unreachable"));
  await worker.start();
  await events.next("job-retried");
  expect((await client.listChainJobs({ id })).items[0]).toMatchObject({
    status: "scheduled",
    attempt: 0,
    lastError: {
      name: "input-unreadable",
      message: expect.stringContaining('the schema of "say" threw an error when it read the stored input'),
    },
  });
  expect(read).toEqual([]);
  await worker.stop();
  await client.close();
});
