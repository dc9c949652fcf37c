import { describe, expect, it } from "vitest";
import { FatalError } from "../../src/model/error.ts";
import { createRig } from "../rig.ts";

interface Context {
  readonly prepare: (options: { readonly mode: string }, callback?: () => Promise<unknown>) => Promise<unknown>;
  readonly continueWith: (item: object) => unknown;
}

describe("an attempt", () => {
  it("is not counted if its lease ran out before it began", async () => {
    let slow = 3;
    const rig = createRig({
      between: (store) => ({
        async exchange(request, options) {
          const reply = await store.exchange(request, options);
          if (reply.claimed.length === 0 || slow === 0) return reply;
          slow -= 1;
          await new Promise<void>((resolve) => void rig.clock.setTimer(resolve, 500));
          return reply;
        },
      }),
      processors: { a: { handler: () => 1, retry: { maxAttempts: 2 } } },
      worker: { leaseMs: 300 },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(10_000);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
    await worker.stop();
  });

  it.each(["while", "after"])(
    "leaves no transaction open if it is stopped %s it prepares, whether or not it reads its signal",
    async (when) => {
      const gate = Promise.withResolvers<void>();
      if (when === "after") gate.resolve();
      let open = 0;
      const rig = createRig({
        between: (store) => ({
          async transaction(run, transactionOptions) {
            open += 1;
            try {
              return await store.transaction(run, transactionOptions);
            } finally {
              open -= 1;
            }
          },
        }),
        processors: {
          a: {
            timeoutMs: 100,
            handler: async (context) => {
              await (context as Context).prepare({ mode: "atomic" }, () => gate.promise);
              await new Promise(() => undefined);
            },
          },
        },
      });
      await rig.start("a");
      const worker = rig.createWorker();
      await worker.start();
      await rig.clock.advance(50);
      expect(open).toBe(1);
      await rig.clock.advance(100);
      expect(open).toBe(0);
      await worker.stop();
    },
  );

  it("ends its chain with an error derived from FatalError, whatever its name", async () => {
    class OutOfStock extends FatalError {
      override readonly name = "OutOfStock";
    }
    const rig = createRig({
      processors: {
        a: () => {
          throw new OutOfStock("none left");
        },
      },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(10);
    expect((await rig.job(id))?.status).toBe("failed");
    await worker.stop();
  });

  it("fails with the store's reason if its outcome is refused, also when the store fails the whole batch", async () => {
    const missing = "00000000-0000-4000-8000-000000000001";
    let choked = false;
    const rig = createRig({
      between: (store) => ({
        async exchange(request, options) {
          if (request.outcomes.length === 0 || choked) return await store.exchange(request, options);
          choked = true;
          throw new Error("too much at once");
        },
      }),
      processors: {
        a: {
          retry: { maxAttempts: 1 },
          handler: (context) =>
            (context as Context).continueWith({ typeName: "a", input: 1, blockers: [{ id: missing, typeName: "a" }] }),
        },
      },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(1_000);
    expect(choked).toBe(true);
    expect(await rig.job(id)).toMatchObject({ status: "failed", attempt: 1 });
    expect((await rig.job(id))?.errors).toContain("chain-not-found");
    expect(rig.events.all.filter(({ type }) => type === "job-failed")).toHaveLength(1);
    await worker.stop();
  });

  it("whose handler does not await its complete ends as that complete does", async () => {
    const gate = Promise.withResolvers<void>();
    const rig = createRig({
      processors: {
        a: (context) => {
          const { complete } = context as { complete(run: () => Promise<number>): Promise<unknown> };
          void complete(async () => {
            await gate.promise;
            return 1;
          });
        },
      },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(10_000);
    gate.resolve();
    await rig.clock.advance(10_000);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1, errors: undefined });
    await worker.stop();
  });

  it("keeps its lease when its worker's clock is set back", async () => {
    let backMs = 0;
    const rig = createRig({
      clock: (clock) => ({ ...clock, virtual: false, now: () => clock.now() - backMs }),
      processors: { a: () => new Promise((resolve) => void rig.clock.setTimer(() => resolve(1), 20_000)) },
      worker: { leaseMs: 3_000, pollIntervalMs: 1_000 },
    });
    const id = await rig.start("a");
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(500);
    backMs = 3_600_000;
    await rig.clock.advance(25_000);
    expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
    await rig.clock.advance(20_000);
    expect(await rig.client.listWorkers()).toHaveLength(1);
    await worker.stop();
  });
});
