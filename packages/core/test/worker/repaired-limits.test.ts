import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type ChainwrightEvent,
} from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { expect, it } from "vitest";

const jobTypes = defineJobTypes<{ work: { entry: true; input: string; output: null } }>();

it("limit-repaired says how many jobs' places maintenance gave back, and is not raised when there were none", async () => {
  const clock = createVirtualClock();
  const events: ChainwrightEvent[] = [];
  const inner = createInProcessStateAdapter({ clock });
  // Rows in memory cannot be deleted by hand: the first pass of this chore replies as a database does that has lost three.
  let lost = 3;
  const stateAdapter: typeof inner = {
    ...inner,
    async maintain(request, options) {
      const reply = await inner.maintain(request, options);
      if (request.chore !== "workers") return reply;
      const repaired = lost;
      lost = 0;
      return { ...reply, repaired };
    },
  };
  const client = createClient({ stateAdapter, jobTypes, clock, observers: [(event) => void events.push(event)] });
  const work = async () => null;
  const worker = createWorker({ client, processors: [createProcessors({ client, jobTypes, processors: { work } })] });
  await worker.start();
  await clock.advance(600_000);
  expect(events.filter(({ type }) => type === "limit-repaired")).toEqual([
    { type: "limit-repaired", workerId: worker.id, jobs: 3 },
  ]);
  const stopped = worker.stop({ timeoutMs: 0 });
  await clock.advance(5_000);
  await stopped;
});
