import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

it("twenty idle workers look about twice for each job that becomes due", async () => {
  let looks = 0;
  let empty = 0;
  const rig = createRig({
    between: (store) => ({
      async exchange(request, options) {
        const reply = await store.exchange(request, options);
        looks += 1;
        if (request.outcomes.length + reply.claimed.length === 0) empty += 1;
        return reply;
      },
    }),
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const workers = Array.from({ length: 20 }, () => rig.createWorker());
  for (const worker of workers) await worker.start();
  await rig.clock.advance(1_000);
  looks = empty = 0;
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1) {
    const schedule = { afterMs: 1_100 + ((count * 379) % 2_000) };
    ids.push(String((await rig.client.startChain({ typeName: "a", input: null, schedule }))["id"]));
    await rig.clock.advance(10);
  }
  expect(looks).toBe(0);
  await rig.clock.advance(5_000);
  for (const id of ids) expect((await rig.job(id))?.status).toBe("completed");
  expect(empty).toBeLessThan(200);
  for (const worker of workers) await worker.stop();
});
