import {
  createClient,
  createInProcessStateAdapter,
  defineJobTypes,
  defineLimits,
  isChainwrightError,
  type AnyClient,
} from "chainwright";
import { createRemote, type RemoteClaim, type RemoteJob, type RemoteOptions } from "chainwright/remote";
import { createVirtualClock } from "chainwright/testing";
import { describe, expect, it } from "vitest";

type Types = {
  "image.resize": {
    entry: true;
    elsewhere: true;
    input: { width: number };
    output: { url: string };
    continueWith: "image.publish";
  };
  "image.publish": { elsewhere: true; input: { url: string }; output: { at: number } };
};

const claim: RemoteClaim = { typeNames: ["image.resize"], limit: 1, leaseMs: 10_000, waitMs: 0 };

/** The longest time between two heartbeats, and a little more. */
const heartbeatMs = 10_001;

async function createStage(options: Omit<RemoteOptions, "client"> = {}) {
  const clock = createVirtualClock();
  const store = createInProcessStateAdapter({ clock });
  /** Of each claim: whether it looked for jobs under limits. */
  const looked: boolean[] = [];
  const stateAdapter: typeof store = {
    ...store,
    exchange: (request, call) => {
      if (request.claim !== undefined) looked.push(request.claim.limited === true);
      return store.exchange(request, call);
    },
  };
  const client = createClient({ stateAdapter, clock, jobTypes: defineJobTypes<Types>() });
  const remote = createRemote({ client, ...options });
  await remote.start();
  const start = async (width = 1): Promise<string> =>
    (await client.startChain({ typeName: "image.resize", input: { width } })).id;
  const take = async (asked: Partial<RemoteClaim> = {}): Promise<readonly RemoteJob[]> =>
    (await remote.exchange({ outcomes: [], claim: { ...claim, ...asked } })).jobs;
  const takeOne = async (asked: Partial<RemoteClaim> = {}): Promise<RemoteJob> => {
    const [job] = await take(asked);
    if (job === undefined) throw new Error("a job was expected");
    return job;
  };
  const stop = async (): Promise<void> => {
    await remote.stop();
    await client.close();
  };
  return { clock, client, stateAdapter, looked, remote, start, take, takeOne, stop };
}

async function attemptsOf(client: AnyClient, id: string): Promise<number | undefined> {
  return (await client.getJob({ id }))?.attempt;
}

describe("a remote", () => {
  it("hands out a job, and its outcome ends the chain", async () => {
    const { client, remote, start, takeOne, stop } = await createStage();
    const id = await start(640);
    const { lease, input, step, shown } = await takeOne();
    expect({ input: JSON.parse(input) as unknown, step, shown: shown["idempotencyKey"] }).toEqual({
      input: { width: 640 },
      step: 1,
      shown: id,
    });
    const { results } = await remote.exchange({ outcomes: [{ lease, kind: "completed", output: { url: "a" } }] });
    expect(results).toEqual([{ status: "settled" }]);
    expect(await client.getChain({ id })).toMatchObject({ status: "completed", output: { url: "a" } });
    await stop();
  });

  it("settles and claims the next step in one round trip", async () => {
    const { remote, start, takeOne, stop } = await createStage();
    await start();
    const { lease } = await takeOne();
    const next = { typeName: "image.publish", input: { url: "a" } };
    const { results, jobs } = await remote.exchange({
      outcomes: [{ lease, kind: "continued", next }],
      claim: { ...claim, typeNames: ["image.publish"] },
    });
    expect(results).toEqual([{ status: "settled" }]);
    expect(jobs.map(({ input }) => input)).toEqual(['{"url":"a"}']);
    await stop();
  });

  it("applies an outcome that is sent twice once, also within one request", async () => {
    const { remote, start, takeOne, stop } = await createStage();
    await start();
    const { lease } = await takeOne();
    const outcome = { lease, kind: "completed", output: { url: "a" } } as const;
    const { results } = await remote.exchange({ outcomes: [outcome, outcome] });
    expect(results).toEqual([{ status: "settled" }, { status: "lost", reason: "completed-elsewhere" }]);
    expect((await remote.exchange({ outcomes: [outcome] })).results).toEqual([
      { status: "lost", reason: "completed-elsewhere" },
    ]);
    await stop();
  });

  it("retries a failed attempt by the policy of its type, and fails the chain when all are used", async () => {
    const retry = { maxAttempts: 2, backoff: { initialMs: 500, jitter: 0 } };
    const { client, clock, remote, start, take, takeOne, stop } = await createStage({
      elsewhere: { "image.resize": { retry }, "image.publish": {} },
    });
    const id = await start();
    const fail = async () => {
      const { lease } = await takeOne({ waitMs: 1_000 });
      return await remote.exchange({ outcomes: [{ lease, kind: "failed", error: new Error("upstream") }] });
    };
    expect((await fail()).results).toEqual([{ status: "settled" }]);
    expect(await take()).toEqual([]);
    const second = fail();
    await clock.advance(600);
    await second;
    const chain = await client.getChain({ id });
    expect(chain).toMatchObject({ status: "failed", error: { message: "upstream", attempt: 2 } });
    await stop();
  });

  it("fails a fatal attempt at once", async () => {
    const { client, remote, start, takeOne, stop } = await createStage();
    const id = await start();
    const { lease } = await takeOne();
    await remote.exchange({ outcomes: [{ lease, kind: "failed", error: new Error("no such file"), fatal: true }] });
    expect(await client.getChain({ id })).toMatchObject({ status: "failed", error: { message: "no such file" } });
    await stop();
  });

  it("counts neither a returned job nor a rescheduled one", async () => {
    const { client, clock, remote, start, takeOne, stop } = await createStage();
    const id = await start();
    const first = await takeOne();
    await remote.exchange({ outcomes: [{ lease: first.lease, kind: "returned" }] });
    const second = await takeOne();
    expect(second.lease.attempt).toBe(1);
    await remote.exchange({ outcomes: [{ lease: second.lease, kind: "rescheduled", schedule: { afterMs: 1_000 } }] });
    await clock.advance(1_000);
    expect((await takeOne()).lease.attempt).toBe(1);
    expect(await attemptsOf(client, id)).toBe(1);
    await stop();
  });

  it("wakes a waiting claim when a job is started, and deals jobs in the order of arrival", async () => {
    const { remote, start, take, stop } = await createStage();
    const waits = { waitMs: 20_000 };
    const order: number[] = [];
    const first = take(waits).then((jobs) => order.push(jobs.length === 1 ? 1 : 0));
    const second = take(waits).then((jobs) => order.push(jobs.length === 1 ? 2 : 0));
    await Promise.resolve();
    await start();
    await first;
    await start();
    await second;
    expect(order).toEqual([1, 2]);
    expect(remote.parked()).toBe(0);
    await stop();
  });

  it("gives a job back whose claim was aborted, and the attempt does not count", async () => {
    const { start, take, takeOne, stop } = await createStage();
    const aborting = new AbortController();
    const waiting = take({ waitMs: 20_000, signal: aborting.signal });
    aborting.abort();
    await start();
    expect(await waiting).toEqual([]);
    expect((await takeOne()).lease.attempt).toBe(1);
    await stop();
  });

  it("ends waiting claims without jobs when it stops, and takes no others", async () => {
    const { clock, remote, take, stop } = await createStage();
    const waiting = take({ waitMs: 20_000 });
    await clock.advance(1);
    await remote.stop();
    expect(await waiting).toEqual([]);
    expect(await take().catch((error: unknown) => isChainwrightError(error, "closed"))).toBe(true);
    await stop();
  });

  it("extends leases, and reports those that are lost", async () => {
    const { client, clock, remote, start, takeOne, stop } = await createStage();
    const id = await start();
    const { lease } = await takeOne({ leaseMs: 1_000 });
    await clock.advance(900);
    expect(await remote.renew([{ lease, leaseMs: 1_000 }])).toEqual([]);
    await clock.advance(900);
    expect(await remote.renew([{ lease, leaseMs: 1_000 }])).toEqual([]);
    await client.cancelChain({ id });
    expect(await remote.renew([{ lease, leaseMs: 1_000 }])).toEqual([{ lease, reason: "cancelled" }]);
    await stop();
  });

  it("is shown among the workers", async () => {
    const { client, clock, remote, stop } = await createStage({ name: "gateway", elsewhere: { "image.resize": {} } });
    await clock.advance(1);
    const workers = await client.listWorkers();
    expect(workers.map(({ id, name, typeNames }) => ({ id, name, typeNames }))).toEqual([
      { id: remote.id, name: "gateway", typeNames: ["image.resize"] },
    ]);
    await stop();
  });

  it("says how many jobs it has dealt out: those whose leases have neither ended nor run out", async () => {
    const { client, clock, remote, start, take, stop } = await createStage({ elsewhere: { "image.resize": {} } });
    const held = async (): Promise<number | undefined> => {
      await clock.advance(heartbeatMs);
      return (await client.listWorkers())[0]?.holds;
    };
    const settle = async ({ lease }: RemoteJob) =>
      await remote.exchange({ outcomes: [{ lease, kind: "completed", output: { url: "a" } }] });
    expect(await held()).toBe(0);
    for (const width of [1, 2, 3]) await start(width);
    const [ended, renewed, forgotten] = await take({ limit: 3, leaseMs: 29_000 });
    if (ended === undefined || renewed === undefined || forgotten === undefined) throw new Error("jobs were expected");
    expect(await held()).toBe(3);
    await settle(ended);
    expect(await held()).toBe(2);
    await remote.renew([{ lease: renewed.lease, leaseMs: 60_000 }]);
    expect(await held()).toBe(1);
    await client.cancelChain({ id: renewed.lease.chainId });
    expect(await remote.renew([{ lease: renewed.lease, leaseMs: 60_000 }])).toHaveLength(1);
    expect(await held()).toBe(0);
    await stop();
  });

  it("says which types and pools it is asked for, soon after the first claim", async () => {
    const { client, clock, take, stop } = await createStage({ elsewhere: { "image.resize": {} } });
    const served = async () => {
      await clock.advance(1_000);
      return (await client.listWorkers()).map(({ typeNames, pools }) => ({ typeNames, pools }));
    };
    expect(await served()).toEqual([{ typeNames: ["image.resize"], pools: [null] }]);
    await take({ pools: ["gpu"] });
    expect(await served()).toEqual([{ typeNames: ["image.resize"], pools: ["gpu"] }]);
    await take({ pools: [null] });
    expect(await served()).toEqual([{ typeNames: ["image.resize"], pools: ["gpu", null] }]);
    await stop();
  });

  it("looks for jobs under limits that its client does not have while the heartbeats tell of them", async () => {
    const stage = await createStage();
    const { clock, remote, stateAdapter, looked, take, takeOne, stop } = stage;
    const jobTypes = defineJobTypes<Types>();
    const keys = { "image.resize": () => "all" };
    const limits = defineLimits({ jobTypes, limits: { one: { keys, concurrency: 1 } } });
    const client = createClient({ stateAdapter, clock, jobTypes, limits: [limits] });
    // Its start declares the limit.
    const declaring = createRemote({ client });
    await declaring.start();
    await declaring.stop();
    const publish = async (leaseMs: number): Promise<boolean | undefined> => {
      expect(await take({ typeNames: ["image.publish"], leaseMs })).toEqual([]);
      return looked.at(-1);
    };
    expect(await publish(10_000)).toBe(false);
    await client.startChain({ typeName: "image.resize", input: { width: 1 } });
    await clock.advance(heartbeatMs);
    // Those that it claims for already, and those that it begins to claim for.
    expect([await publish(10_000), await publish(20_000)]).toEqual([true, true]);
    const { lease } = await takeOne();
    await remote.exchange({ outcomes: [{ lease, kind: "completed", output: { url: "a" } }] });
    await clock.advance(heartbeatMs);
    expect([await publish(10_000), await publish(20_000), await publish(30_000)]).toEqual([false, false, false]);
    await client.close();
    await stop();
  });
});
