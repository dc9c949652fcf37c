import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { drain } from "chainwright/testing";
import { describe, expect, it } from "vitest";

const jobTypes = defineJobTypes<{
  "page.scan": { entry: true; input: null; output: null };
  "page.read": { entry: true; input: null; output: null };
}>();

function setUp() {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  const none = async (): Promise<null> => null;
  const pages = createProcessors({ client, jobTypes, processors: { "page.scan": none, "page.read": none } });
  return { client, processors: [pages] };
}

describe("the types of a worker", () => {
  it("are the only ones that it claims, of all for which it has handlers", async () => {
    const { client, processors } = setUp();
    const worker = createWorker({ client, processors, types: ["page.read"], pollIntervalMs: 5 });
    await worker.start();
    const scan = await client.startChain({ typeName: "page.scan", input: null });
    const read = await client.startChain({ typeName: "page.read", input: null });
    await client.awaitChain(read);
    expect((await client.listWorkers()).map((each) => each.typeNames)).toEqual([["page.read"]]);
    expect((await client.listChainJobs(scan)).items[0]).toMatchObject({ status: "ready", attempt: 0 });
    await worker.stop();
    const other = createWorker({ client, processors, types: ["page.scan", "page.scan"] });
    await other.start();
    await drain({ client });
    expect(await client.getChain({ id: scan.id })).toMatchObject({ status: "completed" });
    await other.stop();
    await client.close();
  });

  it.each([
    {
      types: ["page.raed"],
      says: 'types must name job types that the processors handle; got "page.raed", and they handle "page.scan", "page.read".',
    },
    { types: [], says: "types must be an array with the name of at least one job type; got an object." },
    { types: "page.read", says: 'types must be an array with the name of at least one job type; got "page.read".' },
  ])("must be names with handlers: $types", ({ types, says }) => {
    const { client, processors } = setUp();
    expect(() => createWorker({ client, processors, types: types as never })).toThrow(
      expect.objectContaining({ code: "invalid-input", message: says }),
    );
  });
});
