import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  type ChainwrightEvent,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { expect, it } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: string; output: null } }>();
const limits = defineLimits({
  jobTypes,
  limits: {
    shop: { keys: { work: (shop) => shop }, concurrency: 5 },
    door: { keys: { work: () => "all" }, concurrency: 1 },
  },
});

it("limit-reached names the keys that let no job begin, and not the other keys of the jobs that wait", async () => {
  const clock = createVirtualClock();
  const events: ChainwrightEvent[] = [];
  const stateAdapter = createInProcessStateAdapter({ clock });
  const observers = [(event: ChainwrightEvent) => void events.push(event)];
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], clock, observers });
  const work = () => new Promise<null>(() => undefined);
  const worker = createWorker({ client, processors: [createProcessors({ client, jobTypes, processors: { work } })] });
  await worker.start();
  for (const input of ["a", "a", "b"]) await client.startChain({ typeName: "work", input });
  await clock.advance(30_000);
  const reached = events.filter((event) => event.type === "limit-reached");
  expect(reached.map(({ limit, key, running, waiting }) => [limit, key, running, waiting])).toEqual([
    ["door", "all", 1, 2],
  ]);
  const stopped = worker.stop({ timeoutMs: 0 });
  await clock.advance(5_000);
  await stopped;
});
