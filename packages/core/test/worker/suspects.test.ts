import { describe, expect, it } from "vitest";
import type { ClaimedJob } from "../../src/model/record.ts";
import { isSuspect } from "../../src/worker/suspect.ts";
import { createRig } from "../rig.ts";

const retry = { maxAttempts: 5 };

/** Lets a worker that dies claim all ready jobs of a type, as often as asked. */
async function die(rig: ReturnType<typeof createRig>, times: number): Promise<void> {
  for (let death = 1; death <= times; death += 1) {
    const claim = { workerId: `dead ${death}`, types: [{ typeName: "a", leaseMs: 10 }], limit: 100 };
    await rig.store.exchange({ outcomes: [], claim }, { now: rig.clock.now() });
    await rig.clock.advance(11);
  }
}

describe("a job whose last two attempts never reported a result", () => {
  it("runs alone: nothing else runs, waits for a slot, or has an outcome that is not stored", async () => {
    let running = 0;
    const seen: (readonly [running: number, claimed: number, attempt: number])[] = [];
    const rig = createRig({
      worker: { concurrency: 5, prefetch: 10 },
      processors: {
        a: {
          retry,
          handler: async (context) => {
            const { job } = context as { readonly job: { readonly attempt: number } };
            running += 1;
            const counts = await rig.store.count({ now: rig.clock.now() });
            const claimed = counts.find(({ status }) => status === "running")?.count ?? 0;
            if (job.attempt > 1) seen.push([running, claimed, job.attempt]);
            await new Promise((resolve) => void rig.clock.setTimer(() => resolve(undefined), 100));
            running -= 1;
            return job.attempt;
          },
        },
      },
    });
    const suspects = await Promise.all([1, 2, 3].map(() => rig.start("a")));
    await die(rig, 2);
    const others = await Promise.all(Array.from({ length: 12 }, () => rig.start("a")));
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(5_000);
    for (const id of [...suspects, ...others]) expect((await rig.job(id))?.status).toBe("completed");
    expect(seen).toEqual([
      [1, 1, 3],
      [1, 1, 3],
      [1, 1, 3],
    ]);
    await worker.stop();
  });

  it("is given back by a worker that stops before it is alone, and the claim does not count", async () => {
    const rig = createRig({
      worker: { concurrency: 5 },
      processors: { a: { retry, handler: () => new Promise(() => undefined) } },
    });
    const suspect = await rig.start("a");
    await die(rig, 2);
    await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(100);
    const stopping = worker.stop({ timeoutMs: 1_000 });
    await rig.clock.advance(1_000);
    await stopping;
    expect(await rig.job(suspect)).toMatchObject({ status: "ready", attempt: 2 });
  });
});

describe("a suspect", () => {
  const suspected = (attempt: number, reported: readonly number[], maxAttempts = 5): boolean => {
    const errors = JSON.stringify(
      reported.map((each) => ({ attempt: each, at: 0, workerId: "w", name: "E", message: "" })),
    );
    return isSuspect({ attempt, errors } as ClaimedJob, maxAttempts);
  };

  it("has two attempts without a result behind it, or one before its last", () => {
    expect([1, 2, 3, 4, 5].map((attempt) => suspected(attempt, []))).toEqual([false, false, true, true, true]);
    expect([suspected(2, [], 2), suspected(3, [1], 3), suspected(3, [1], 4)]).toEqual([true, true, false]);
  });

  it("is no job whose last attempt reported an error, nor one whose attempts are used up", () => {
    expect([suspected(4, [3]), suspected(4, [1, 3]), suspected(6, []), suspected(5, [4])]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("is judged without the errors of attempts that did not count", () => {
    const uncounted = (attempt: number, counted: readonly number[]): boolean => {
      const errors = JSON.stringify([
        ...counted.map((each) => ({ attempt: each, message: "" })),
        { attempt: counted.length + 1, message: "", uncounted: true },
      ]);
      return isSuspect({ attempt, errors } as ClaimedJob, 5);
    };
    expect([uncounted(1, []), uncounted(2, [1]), uncounted(3, [1])]).toEqual([false, false, false]);
    expect([uncounted(3, []), uncounted(4, [1])]).toEqual([true, true]);
  });

  it("is judged by the attempts since the last retry of its chain", () => {
    expect([suspected(1, [5]), suspected(2, [5]), suspected(3, [5])]).toEqual([false, false, true]);
  });
});
