import { expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { drain } from "../../src/testing/drain.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { defineVersions } from "../../src/types/define-versions.ts";
import { stored } from "../../src/types/stored.ts";
import type { StoppedChain } from "../../src/types/stopped-chain.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const oldTypes = defineJobTypes<{
  trip: { entry: true; input: { city: string }; output: null; whenStopped: "sorry" };
  sorry: { entry: true; input: StoppedChain<{ city: string }>; output: null };
}>();

const newTypes = defineJobTypes<{
  trip: { entry: true; input: { to: string }; output: null; whenStopped: "sorry" };
  sorry: { entry: true; input: StoppedChain<{ to: string }>; output: null };
}>();

const up = stored<{ city: string }>().then(({ city }) => ({ to: city }), { back: ({ to }) => ({ city: to }) });
const versions = [defineVersions({ jobTypes: newTypes, inputs: { trip: up } })];

it("the chain that follows a stopped one gets its input in the newest version, wherever it is read", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const older = createClient({ stateAdapter, jobTypes: oldTypes, observers: [] });
  const newer = createClient({ stateAdapter, jobTypes: newTypes, versions, observers: [] });
  const old = await older.startChain({ typeName: "trip", input: { city: "Rome" }, whenStopped: "sorry" });
  const young = await newer.startChain({ typeName: "trip", input: { to: "Oslo" }, whenStopped: "sorry" });
  await newer.cancelChains({ items: [old, young] });
  const read: unknown[] = [];
  const processors = createProcessors({
    client: newer,
    jobTypes: newTypes,
    processors: {
      trip: async () => null,
      sorry: async ({ job }) => {
        read.push(job.input.chain);
        return null;
      },
    },
  });
  const worker = createWorker({ client: newer, processors: [processors] });
  await worker.start();
  await drain({ client: newer });
  await worker.stop();
  const startedAt = expect.any(Number) as number;
  const seen = [
    { id: old.id, typeName: "trip", input: { to: "Rome" }, startedAt },
    { id: young.id, typeName: "trip", input: { to: "Oslo" }, startedAt },
  ];
  expect(read).toEqual(seen);
  const listed = (await newer.listChains({ typeName: "sorry" })).items.map((chain) => chain.input.chain);
  expect(listed.toSorted((left, right) => (left.input.to > right.input.to ? -1 : 1))).toEqual(seen);
  const late = (await older.listChains({ typeName: "sorry" })).items.flatMap(({ unreadable }) => unreadable ?? []);
  expect(late).toEqual([expect.stringContaining('"trip" is of version 2')]);
});

it("an input in the shape of a stopped chain that a caller wrote is left as it is", async () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: newTypes, versions });
  const { id } = await client.startChain({
    typeName: "sorry",
    input: {
      chain: { id: "c", typeName: "trip", input: { to: "Rome" }, startedAt: 1 },
      status: "failed",
      step: { jobId: "j", typeName: "trip" },
    },
  });
  expect(await client.getChain({ id })).toMatchObject({ input: { chain: { input: { to: "Rome" } } } });
});
