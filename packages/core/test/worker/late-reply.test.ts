import { expect, it } from "vitest";
import { createRig, silence } from "../rig.ts";

/** Time of the virtual clock. */
function pause({ clock }: ReturnType<typeof createRig>, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}

it("a job whose lease ran out before the reply to the claim begins with the next claim only", async () => {
  let claims = 0;
  const begunAfter: number[] = [];
  const rig = createRig({
    between: (store) => ({
      exchange: async (request, options) => {
        const reply = await store.exchange(request, options);
        if (reply.claimed.length > 0) claims += 1;
        if (reply.claimed.length > 0 && claims === 1) await pause(rig, 4_000);
        return reply;
      },
    }),
    processors: {
      a: () => {
        begunAfter.push(claims);
        return 1;
      },
    },
    worker: { leaseMs: 3_000 },
  });
  const id = await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(10_000);
  expect(begunAfter).toEqual([2]);
  expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
  await worker.stop();
});

it("a renewed lease counts from the renewal's call, not from its reply", async () => {
  let renewals = 0;
  const lostAfterMs: number[] = [];
  const rig = createRig({
    between: (store) => ({
      renew: async (request, options) => {
        renewals += 1;
        if (renewals > 1) return silence();
        const lost = await store.renew(request, options);
        await pause(rig, 1_500);
        return lost;
      },
    }),
    processors: {
      a: (context) =>
        new Promise((_, reject) => {
          const { signal } = context as { readonly signal: AbortSignal };
          const begunAt = rig.clock.now();
          signal.addEventListener("abort", () => {
            lostAfterMs.push(rig.clock.now() - begunAt);
            reject(signal.reason);
          });
        }),
    },
    // It looks for no other job meanwhile, and so does not find its own again.
    worker: { leaseMs: 3_000, concurrency: 1, prefetch: 0 },
  });
  await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(4_500);
  // Renewed after one second, for three; the expiry is noticed at the next check, one second later at the latest.
  expect(lostAfterMs).toEqual([4_000]);
  const stopped = worker.stop({ timeoutMs: 0 });
  await rig.clock.advance(10_000);
  await stopped;
});

it("a chain is cancelled at its deadline if the reply that says when it is arrives late", async () => {
  let looks = 0;
  const rig = createRig({
    between: (store) => ({
      exchange: async (request, options) => {
        const reply = await store.exchange(request, options);
        if (request.claim?.deadlines !== true) return reply;
        looks += 1;
        if (looks === 1) await pause(rig, 4_000);
        return reply;
      },
    }),
    processors: { a: () => new Promise(() => {}) },
  });
  // Before the worker starts, which hears of no deadline, and so has to ask.
  const start = { typeName: "a", input: null, deadline: { afterMs: 5_000 } };
  const { id } = (await rig.client.startChain(start)) as { readonly id: string };
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(4_900);
  expect(await rig.client.getChain({ id })).toMatchObject({ status: "active" });
  await rig.clock.advance(200);
  expect(await rig.client.getChain({ id })).toMatchObject({ status: "cancelled", reason: "deadline" });
  expect(looks).toBe(2);
  const stopped = worker.stop({ timeoutMs: 0 });
  await rig.clock.advance(10_000);
  await stopped;
});

it("an attempt whose commit is confirmed late does not lose its job", async () => {
  const signals: AbortSignal[] = [];
  const rig = createRig({
    between: (store) => ({
      transaction: async (run, transactionOptions) => {
        const value = await store.transaction(run, transactionOptions);
        // Meanwhile a renewal finds that the job has been completed.
        await pause(rig, 2_500);
        return value;
      },
    }),
    processors: {
      a: (context) => {
        const { signal, complete } = context as {
          readonly signal: AbortSignal;
          complete(run: () => Promise<number>): Promise<unknown>;
        };
        signals.push(signal);
        return complete(async () => 1);
      },
    },
    worker: { leaseMs: 3_000 },
  });
  const id = await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(10_000);
  expect(await rig.job(id)).toMatchObject({ status: "completed", attempt: 1 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await worker.stop();
});

it("no lease of a job that waits for a slot runs out: the job goes back before that, and no attempt counts", async () => {
  const [short, long] = [50, 4];
  let runs = 0;
  let waiting = 0;
  const rig = createRig({
    processors: {
      short: () => 1,
      long: async () => {
        runs += 1;
        waiting = Math.max(waiting, worker.health().waiting);
        await pause(rig, 8_000);
        return 1;
      },
    },
    worker: { leaseMs: 3_000, concurrency: 1, prefetch: 20 },
  });
  const worker = rig.createWorker();
  // Where jobs are short others are claimed ahead, and those may turn out to be long.
  for (let n = 0; n < short; n += 1) await rig.start("short");
  for (let n = 0; n < long; n += 1) await rig.start("long");
  await worker.start();
  await rig.clock.advance(60_000);
  expect(waiting).toBeGreaterThan(0);
  expect(runs).toBe(long);
  const claims = rig.events.all.filter((event) => event.type === "job-claimed");
  expect(new Set(claims.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  await worker.stop();
});

it("an outcome that was sent again is settled once and no lease is lost, also where the second reply comes first", async () => {
  let settles = 0;
  const rig = createRig({
    between: (store) => ({
      exchange: async (request, options) => {
        const reply = await store.exchange(request, options);
        if (request.outcomes.length === 0) return reply;
        settles += 1;
        // The worker gives this call up after 30 seconds and sends the outcome again.
        if (settles === 1) await pause(rig, 60_000);
        return reply;
      },
    }),
    processors: { a: () => 1 },
    worker: { leaseMs: 600_000 },
  });
  await rig.start("a");
  const worker = rig.createWorker();
  await worker.start();
  await rig.clock.advance(50_000);
  expect(settles).toBe(2);
  const ends = () => rig.events.all.map(({ type }) => type).filter((type) => /^lease-lost$|^job-completed$/.test(type));
  expect(ends()).toEqual([]);
  await rig.clock.advance(30_000);
  expect(ends()).toEqual(["job-completed"]);
  await worker.stop();
});
