import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

interface Scope {
  readonly jobs: readonly { readonly chainId: string; readonly input: number }[];
}

interface Context extends Scope {
  readonly complete: (callback: (scope: Scope) => Promise<readonly unknown[]>) => Promise<unknown>;
}

it("complete meets a lost job only when it settles: it runs again without that job, in the same attempt", async () => {
  const runs: (readonly number[])[] = [];
  const rig = createRig({
    processors: {
      a: {
        retry: { maxAttempts: 3 },
        batch: {
          maxSize: 3,
          maxWaitMs: 100,
          handler: async (context) => {
            const { jobs, complete } = context as Context;
            // The store alone knows of it: no hint reaches the worker.
            const chainId = jobs.find(({ input }) => input === 1)?.chainId ?? "";
            await rig.store.cancel([{ chainId, reason: undefined }], { now: rig.clock.now() });
            return await complete(async (scope) => {
              runs.push(scope.jobs.map(({ input }) => input));
              return scope.jobs.map(() => "done");
            });
          },
        },
      },
    },
  });
  const ids = await Promise.all([0, 1, 2].map((input) => rig.start("a", input)));
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(1_000);
  await worker.stop();
  expect(runs.map((inputs) => inputs.toSorted((one, other) => one - other))).toEqual([
    [0, 1, 2],
    [0, 2],
  ]);
  const ended = await Promise.all(ids.map(async (id) => await rig.job(id)));
  expect(ended.map((job) => [job?.status, job?.attempt])).toEqual([
    ["completed", 1],
    ["cancelled", 1],
    ["completed", 1],
  ]);
});
