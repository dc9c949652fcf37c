import {
  createClient,
  createInProcessStateAdapter,
  createProcessorsWith,
  createWorker,
  defineJobTypes,
  type Middleware,
} from "chainwright";
import { describe, expect, it } from "vitest";
import { createSharingProcessors } from "../../src/worker/erased-processors.ts";
import { mergeProcessors } from "../../src/worker/processor.ts";

const pageTypes = defineJobTypes<{ "page.scan": { entry: true; input: null; output: string[] } }>();
const bookTypes = defineJobTypes<{ "book.print": { entry: true; input: null; output: string[] } }>();

function createTestClient() {
  return createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: [pageTypes, bookTypes] });
}

describe("what createProcessorsWith shares", () => {
  it("is around and in the context of every slice, outside the middleware of the slice", async () => {
    const client = createTestClient();
    const named: Middleware<{ names: string[] }> = async ({ job }, next) => await next({ names: [job.typeName] });
    const createAppProcessors = createProcessorsWith({ client, middleware: [named] });
    const pages = createAppProcessors({
      jobTypes: pageTypes,
      middleware: [async (_attempt, next) => await next({ inner: "inner" })],
      processors: { "page.scan": async ({ names, inner }) => [...names, inner] },
    });
    const books = createAppProcessors({
      jobTypes: bookTypes,
      processors: { "book.print": async ({ names }) => names },
    });
    const worker = createWorker({ client, processors: [pages, books], pollIntervalMs: 5 });
    await worker.start();
    const [page, book] = await client.startChains({
      items: [
        { typeName: "page.scan", input: null },
        { typeName: "book.print", input: null },
      ],
    });
    expect((await client.awaitChain(page)).output).toEqual(["page.scan", "inner"]);
    expect((await client.awaitChain(book)).output).toEqual(["book.print"]);
    await worker.stop();
    await client.close();
  });

  it("counts less than an option of a slice, and more than one of the worker", () => {
    const shared = { client: {}, retry: { maxAttempts: 5, backoff: { maxMs: 7 } }, timeoutMs: 2, leaseMs: 200 };
    const own = { jobTypes: {}, retry: { backoff: { maxMs: 6 } }, timeoutMs: 1, processors: { a: () => 1 } };
    const all = mergeProcessors([createSharingProcessors(shared, own)], { retry: { maxAttempts: 9 }, leaseMs: 300 });
    expect(all.get("a")).toMatchObject({
      retry: { maxAttempts: 5, backoff: { maxMs: 6 } },
      timeoutMs: 1,
      leaseMs: 200,
    });
  });

  it("is checked where it is given", () => {
    const client = createTestClient();
    const give = (options: object) => () => createProcessorsWith({ client, ...options });
    expect(give({ retry: { maxAttempts: 0 } })).toThrow("retry.maxAttempts of createProcessorsWith");
    expect(give({ processors: {} })).toThrow('createProcessorsWith has no option "processors"');
    expect(give({ middleware: [1] as never })).toThrow("middleware must be an array of functions.");
    expect(give({ client: {} as never })).toThrow("client must be a value that createClient returned");
    const createAppProcessors = createProcessorsWith({ client });
    expect(() => createAppProcessors({ jobTypes: defineJobTypes<{}>(), processors: {} } as never)).toThrow(
      "another slice",
    );
    expect(() => createAppProcessors({ client, jobTypes: pageTypes } as never)).toThrow('has no option "client"');
  });
});
