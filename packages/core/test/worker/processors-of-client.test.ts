import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { describe, expect, it } from "vitest";

type Pages = { "page.scan": { entry: true; input: null; output: null } };
const pageTypes = defineJobTypes<Pages>();
const bookTypes = defineJobTypes<{ "book.print": { entry: true; input: null; output: null } }>();
const otherTypes = defineJobTypes<{ other: Pages["page.scan"] }>();
const none = async (): Promise<null> => null;

describe("processors", () => {
  const stateAdapter = createInProcessStateAdapter();
  const client = createClient({ stateAdapter, jobTypes: [pageTypes, bookTypes] });
  const pages = createProcessors({ client, jobTypes: pageTypes, processors: { "page.scan": none } });

  it("are for a slice of their client: the same object", () => {
    const another = defineJobTypes<Pages>();
    expect(() => createProcessors({ client, jobTypes: another, processors: { "page.scan": none } })).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message:
          "jobTypes must be one slice of the client, the same object that createClient was given; got another slice. Pass each " +
          "slice to createClient, and import it from one module: a second defineJobTypes, or a second copy of the module, is another slice.",
      }),
    );
    const all: object = { client, jobTypes: [pageTypes, bookTypes], processors: {} };
    expect(() => createProcessors(all as never)).toThrow("got an array.");
  });

  it("are for a client", () => {
    const given: object = { jobTypes: pageTypes, processors: { "page.scan": none } };
    expect(() => createProcessors(given as never)).toThrow("client must be a value that createClient returned");
  });

  it("run for another client with the same state adapter and the same slices", async () => {
    const other = createClient({ stateAdapter, jobTypes: [bookTypes, pageTypes] });
    const worker = createWorker({ client: other, processors: [pages], pollIntervalMs: 5 });
    await worker.start();
    const chain = await client.startChain({ typeName: "page.scan", input: null });
    expect(await client.awaitChain(chain)).toMatchObject({ status: "completed" });
    await worker.stop();
    await other.close();
  });

  it.each([
    {
      what: "another state adapter",
      given: { stateAdapter: createInProcessStateAdapter(), jobTypes: [pageTypes, bookTypes] },
    },
    { what: "fewer slices", given: { stateAdapter, jobTypes: [pageTypes] } },
    { what: "other slices", given: { stateAdapter, jobTypes: [pageTypes, otherTypes] } },
  ])("do not run for a client with $what", ({ given }) => {
    const other = createClient(given as { stateAdapter: typeof stateAdapter; jobTypes: (typeof pageTypes)[] });
    expect(() => createWorker({ client: other, processors: [pages] })).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message:
          "processors must be made for the client of the worker, or for one with the same state adapter and the same slices; " +
          "got processors of another client. Pass createProcessors and createWorker the same client.",
      }),
    );
  });

  it("of one slice are given to a worker once, as the slice is to a client", () => {
    expect(() => createWorker({ client, processors: [pages, pages] })).toThrow(
      'a worker must have one processor for each job type; got two for "page.scan". Pass the processors of each slice once.',
    );
    const twice: object = { stateAdapter, jobTypes: [pageTypes, pageTypes] };
    expect(() => createClient(twice as never)).toThrow(
      "jobTypes must contain each slice once; got one twice. Remove it from the array.",
    );
  });
});
