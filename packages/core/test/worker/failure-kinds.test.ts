import { expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { drain } from "../../src/testing/drain.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{ pay: { entry: true; input: { card: number }; output: null } }>();

it("failures are grouped by what a worker reports: a job that fails has the kind, an attempt that is tried again has none", async () => {
  const clock = createVirtualClock();
  const stateAdapter = createInProcessStateAdapter({ clock });
  const client = createClient({ stateAdapter, jobTypes, clock, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      pay: {
        retry: { maxAttempts: 2 },
        handler: async ({ job }) => {
          throw new Error(`card ${job.input.card} was declined`);
        },
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  for (const card of [11, 12, 13]) await client.startChain({ typeName: "pay", input: { card } });
  await drain({ client });
  await clock.advance(60_000);
  await drain({ client });
  await worker.stop();

  const { groups, groupCount, failureCount } = await client.groupFailures();
  expect([groupCount, failureCount]).toEqual([1, 3]);
  const { items } = await client.listJobs({ failureKind: groups[0]?.kind });
  expect(items).toHaveLength(3);
  for (const { errors } of items) expect(errors.map(({ kind }) => kind)).toEqual([undefined, groups[0]?.kind]);
  expect((await client.listJobs({ failedSince: new Date(clock.now() + 1) })).items).toEqual([]);
  await expect(client.groupFailures({ limit: 0 })).rejects.toThrow("limit");
  for (const bad of [7 as never, "\u0000", "\ud800", "k".repeat(101)])
    await expect(client.listJobs({ failureKind: bad })).rejects.toMatchObject({ code: "invalid-input" });

  const { groupFailures: _, ...older } = stateAdapter;
  const without = createClient({ stateAdapter: older, jobTypes, clock, observers: [] });
  await expect(without.groupFailures()).rejects.toMatchObject({ code: "invalid-input" });
  await expect(without.listJobs({ failureKind: "" })).rejects.toThrow("does not keep the kinds of failures");
});
