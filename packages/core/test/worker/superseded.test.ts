import { expect, it } from "vitest";
import type { NotifyAdapter } from "../../src/ports/notify.ts";
import { createRig, type RigOptions } from "../rig.ts";

interface Context {
  readonly job: { readonly input: unknown };
  readonly signal: AbortSignal;
  readonly complete: (callback: (scope: { readonly tx: unknown }) => Promise<unknown>) => Promise<unknown>;
}

const close = async (): Promise<void> => {};
/** So that the worker does not hear of the cancellation: what it knows, it knows from the store. */
const deaf: NotifyAdapter = { portVersion: 1, publish: async () => {}, subscribe: async () => ({ close }), close };

/** A worker whose handlers wait at a gate, each at its own. */
function createGatedRig(
  finish: (context: Context, gate: Promise<void>) => Promise<unknown>,
  between: RigOptions["between"] = () => ({}),
) {
  const gates: PromiseWithResolvers<void>[] = [];
  const signals: AbortSignal[] = [];
  const rig = createRig({
    notifyAdapter: deaf,
    between,
    worker: { leaseMs: 60_000, pollIntervalMs: 1_000, concurrency: 2 },
    processors: {
      a: async (context) => {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        signals.push((context as Context).signal);
        return await finish(context as Context, gate.promise);
      },
    },
  });
  return { ...rig, gates, signals };
}

/** Cancels and retries a job while its first attempt runs on, and lets the same worker claim it again. */
async function runTwice({ store, clock, createWorker, start }: ReturnType<typeof createGatedRig>) {
  const id = await start("a", "wrong");
  const worker = createWorker();
  await worker.start();
  await clock.advance(10);
  // From elsewhere, without a hint.
  const [from, item] = [{ now: clock.now() }, { chainId: id, typeName: "a" }];
  await store.cancel([{ ...item, reason: undefined }], from);
  await store.retry([{ ...item, input: '"right"' }], from);
  await clock.advance(2_000);
  return { id, worker };
}

it("an attempt whose job its own worker has claimed again is aborted, and its result is dropped", async () => {
  const rig = createGatedRig(async ({ job }, gate) => {
    await gate;
    return job.input;
  });
  const { clock, gates, signals, job } = rig;
  const { id, worker } = await runTwice(rig);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(signals[0]?.reason).toMatchObject({ code: "lease-lost" });
  gates[0]?.resolve();
  await clock.advance(2_000);
  expect((await job(id))?.status).toBe("running");
  gates[1]?.resolve();
  await clock.advance(2_000);
  expect(await job(id)).toMatchObject({ status: "completed", output: '"right"' });
  await worker.stop();
});

it("an attempt whose job its own worker has claimed again rolls back its open transaction", async () => {
  const rig = createGatedRig(({ job, complete }, gate) =>
    complete(async ({ tx }) => {
      await rig.client.startChain({ typeName: "effect", input: job.input, tx });
      await gate;
      return job.input;
    }),
  );
  const { clock, gates, client, job } = rig;
  const { id, worker } = await runTwice(rig);
  gates[0]?.resolve();
  await clock.advance(2_000);
  gates[1]?.resolve();
  await clock.advance(2_000);
  expect(await job(id)).toMatchObject({ status: "completed", output: '"right"' });
  const effects = await client.listJobs({ typeName: "effect" });
  expect(effects.items.map(({ input }) => input)).toEqual(["right"]);
  await worker.stop();
});

for (const [how, finish] of [
  ["hands in a value", async ({ job }: Context, gate: Promise<void>) => gate.then(() => job.input)],
  [
    "settles itself",
    ({ job, complete }: Context, gate: Promise<void>) => gate.then(() => complete(async () => job.input)),
  ],
] as const) {
  it(`an attempt that ${how} after its job was claimed again, with the reply still on its way, is refused`, async () => {
    const late = Promise.withResolvers<void>();
    let retried = false;
    const rig = createGatedRig(finish, (store) => ({
      exchange: async (request, options) => {
        const reply = await store.exchange(request, options);
        if (retried && reply.claimed.length > 0) await late.promise;
        return reply;
      },
    }));
    const { clock, client, gates, job, createWorker, start } = rig;
    const id = await start("a", "wrong");
    const worker = createWorker();
    await worker.start();
    await clock.advance(10);
    await client.cancelChain({ id });
    await client.retryChain({ id, typeName: "a", input: "right" });
    retried = true;
    await clock.advance(2_000);
    expect(await job(id)).toMatchObject({ status: "running", leasedBy: worker.id });
    gates[0]?.resolve();
    await clock.advance(10);
    late.resolve();
    await clock.advance(10);
    expect(await job(id)).toMatchObject({ status: "running", input: '"right"' });
    gates[1]?.resolve();
    await clock.advance(10);
    expect(await job(id)).toMatchObject({ status: "completed", output: '"right"' });
    await worker.stop();
  });
}
