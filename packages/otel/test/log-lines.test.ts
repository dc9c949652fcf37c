import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { drain } from "chainwright/testing";
import { expect, it } from "vitest";
import { createOtelObserver, type OtelObserverOptions } from "../src/index.ts";
import { createSdk } from "./sdk.ts";

const jobTypes = defineJobTypes<{ import: { entry: true; input: null; output: null } }>();

/** Runs a handler that logs, and returns the events of the span of its attempt. */
async function eventsWith(options: OtelObserverOptions) {
  const sdk = createSdk();
  const observers = [createOtelObserver({ ...sdk, ...options })];
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers });
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      import: async ({ log }) => {
        log.info("part done", { rows: 3 });
        await Promise.resolve();
        log.error("x".repeat(2_000));
        log.warn("odd", circular);
        return null;
      },
    },
  });
  await client.startChain({ typeName: "import", input: null });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  await drain({ client });
  await worker.stop();
  await client.close();
  const span = sdk.spans().find(({ name }) => name === "process import");
  return span?.events.map(({ name, attributes }) => [name, attributes]);
}

it("lines of a handler are events of the span of its attempt, cut, where they are included", async () => {
  expect(await eventsWith({ logLines: "include" })).toEqual([
    [
      "log",
      {
        "chainwright.log.level": "info",
        "chainwright.log.message": "part done",
        "chainwright.log.data": '{"rows":3}',
      },
    ],
    ["log", { "chainwright.log.level": "error", "chainwright.log.message": `${"x".repeat(1_000)}...` }],
    ["log", { "chainwright.log.level": "warn", "chainwright.log.message": "odd" }],
  ]);
});

it("lines are in no span by default, because they may quote payloads", async () => {
  expect(await eventsWith({})).toEqual([]);
});
