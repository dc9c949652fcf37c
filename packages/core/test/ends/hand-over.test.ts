import { expect, it } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";
import { createProcessors } from "../../src/worker/create-processors.ts";
import { createWorker } from "../../src/worker/create-worker.ts";

const jobTypes = defineJobTypes<{ work: { entry: true; input: { n: number }; output: null } }>();

it("hands in one outcome for each attempt, also for one whose chain was cancelled and has nothing to undo", async () => {
  const adapter = createInProcessStateAdapter();
  const handedIn: string[] = [];
  const note = (outcomes: readonly { readonly target: object }[]) => {
    for (const { target } of outcomes) handedIn.push("jobId" in target ? String(target.jobId) : "outside");
  };
  const stateAdapter: typeof adapter = {
    ...adapter,
    exchange: (request, options) => {
      note(request.outcomes);
      return adapter.exchange(request, options);
    },
    settle: (outcomes, options) => {
      note(outcomes);
      return adapter.settle(outcomes, options);
    },
  };
  const client = createClient({ stateAdapter, jobTypes });
  const begun = Promise.withResolvers<void>();
  const interrupted = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      work: async ({ job: { input }, signal }) => {
        if (input.n > 0) return null;
        signal.addEventListener("abort", () => interrupted.resolve());
        begun.resolve();
        await go.promise;
        return null;
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const { id } = await client.startChain({ typeName: "work", input: { n: 0 } });
  await begun.promise;
  await client.cancelChain({ id });
  await interrupted.promise;
  const other = await client.startChain({ typeName: "work", input: { n: 1 } });
  await client.awaitChain(other);
  expect(handedIn).toEqual([other.id]);
  go.resolve();
  await expect.poll(() => handedIn).toEqual([other.id, id]);
  await worker.stop();
  expect(handedIn).toEqual([other.id, id]);
});
