import { describe, expect, it } from "vitest";
import { deferred } from "../../src/engine/deferred.ts";
import { createRig } from "../rig.ts";

describe("a worker that stops", () => {
  it("begins nothing of what a claim under way still brings, and gives it back uncounted", async () => {
    const gate = deferred<void>();
    const asked = deferred<void>();
    let runs = 0;
    const rig = createRig({
      between: (store) => ({
        async exchange(request, options) {
          const reply = await store.exchange(request, options);
          if (reply.claimed.length === 0) return reply;
          asked.resolve();
          await gate.promise;
          return reply;
        },
      }),
      processors: { a: () => (runs += 1) },
    });
    const ids = await Promise.all([rig.start("a"), rig.start("a")]);
    const worker = rig.createWorker();
    await worker.start();
    await asked.promise;
    const stopped = worker.stop();
    gate.resolve();
    await stopped;
    expect(runs).toBe(0);
    for (const id of ids) expect(await rig.job(id)).toMatchObject({ status: "ready", attempt: 0 });
  });

  it("cannot be started again", async () => {
    const rig = createRig({ processors: { a: () => 1 } });
    const worker = rig.createWorker();
    await worker.start();
    await worker.stop();
    await expect(worker.start()).rejects.toMatchObject({ code: "closed" });
  });

  it.each([{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { timeout: 5 }])("refuses %o", async (options) => {
    const worker = createRig({ processors: { a: () => 1 } }).createWorker();
    await expect(worker.stop(options)).rejects.toMatchObject({ code: "invalid-input" });
    await worker.stop();
  });
});
