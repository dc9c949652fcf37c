import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StoppedChain,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { expect, it, onTestFinished } from "vitest";
import { createDashboardAt } from "../src/create-dashboard.ts";
import type { ChainResponse } from "../src/protocol/reads.ts";

const jobTypes = defineJobTypes<{
  book: { entry: true; input: null; output: null; compensate: "undo"; whenStopped: "tell" };
  undo: { entry: true; input: { what: string }; output: null };
  tell: { entry: true; input: StoppedChain<null>; output: null };
}>();

it("a stopped chain is shown with the chains that it has started, in the order in which they run", async () => {
  const clock = createVirtualClock();
  const client = createClient({ stateAdapter: createInProcessStateAdapter({ clock }), jobTypes, clock, observers: [] });
  const dashboard = createDashboardAt({ client, authorize: () => ({ role: "viewer" }) }, clock);
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      book: async ({ compensateWith }) => {
        await compensateWith({ typeName: "undo", input: { what: "the flight" } });
        throw new FatalError("the hotel is full");
      },
      undo: async () => null,
      tell: async () => null,
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  onTestFinished(() => worker.stop());
  const read = async (id: string) =>
    (await (await dashboard.fetch(new Request(`http://localhost/-/chain?id=${id}`))).json()) as ChainResponse;

  const { id } = await client.startChain({ typeName: "book", input: null, whenStopped: "tell" });
  expect((await read(id)).followUps).toEqual([]);
  await clock.advance(10_000);
  const { chain, followUps } = await read(id);
  expect(chain.status).toBe("failed");
  expect(followUps).toMatchObject([
    { typeName: "undo", kind: "compensation", status: "completed" },
    { typeName: "tell", kind: "when-stopped", status: "completed" },
  ]);
  const [undo] = followUps;
  expect((await read(undo?.id ?? "")).input).toMatchObject({ value: { what: "the flight" } });
});
