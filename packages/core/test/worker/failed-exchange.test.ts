import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

it("looks for announced jobs at once after an exchange that failed because of an outcome", async () => {
  let failures = 0;
  const rig = createRig({
    between: (store) => ({
      async exchange(request, options) {
        if (request.outcomes.length > 0 && failures === 0) {
          failures += 1;
          throw new Error("the store fails this batch");
        }
        return await store.exchange(request, options);
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const worker = rig.createWorker();
  await worker.start();
  const first = await rig.start("a");
  await rig.clock.advance(100);
  expect(failures).toBe(1);
  const second = await rig.start("a");
  await rig.clock.advance(100);
  expect([(await rig.job(first))?.status, (await rig.job(second))?.status]).toEqual(["completed", "completed"]);
  await worker.stop();
});
