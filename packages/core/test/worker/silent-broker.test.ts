import { describe, expect, it } from "vitest";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { ChainwrightError } from "../../src/model/error.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import type { HintListener, HintMessage, NotifyAdapter, Subscription } from "../../src/ports/notify.ts";
import { createRig } from "../rig.ts";

const close = async (): Promise<void> => {};

/** A broker that a test breaks. */
function createBroker() {
  const inner = createInProcessNotifyAdapter();
  const listeners: HintListener[] = [];
  const published: HintMessage[] = [];
  const broker = {
    published,
    opening: Promise.resolve(),
    refusal: undefined as Error | undefined,
    notify: (call: (listener: HintListener) => void) => listeners.forEach(call),
    adapter: {
      portVersion: 1 as const,
      async publish(message) {
        published.push(message);
        if (broker.refusal !== undefined) throw broker.refusal;
        await inner.publish(message);
      },
      async subscribe(listener): Promise<Subscription> {
        await broker.opening;
        listeners.push(listener);
        return await inner.subscribe(listener);
      },
      close,
    } satisfies NotifyAdapter,
  };
  return broker;
}

/** A worker that looks by itself only once a minute, and a job that another process starts without a hint. */
async function setUp(broker: ReturnType<typeof createBroker>) {
  const rig = createRig({
    notifyAdapter: broker.adapter,
    processors: { a: () => 1 },
    worker: { pollIntervalMs: 60_000 },
  });
  const worker = rig.createWorker();
  const startElsewhere = async (): Promise<string> => {
    // The worker rests.
    await rig.clock.advance(0);
    const none = { schedule: undefined, deduplication: undefined, context: undefined };
    const id = crypto.randomUUID();
    const start: JobStart = {
      id,
      typeName: "a",
      input: "1",
      priority: 0,
      blockers: [],
      onBlockerFailure: "fail",
      ...none,
    };
    await rig.store.start([{ starts: [start] }], { now: rig.clock.now() });
    return id;
  };
  /** How long a job waits that no hint announced. */
  const waitOf = async (id: string): Promise<number> => {
    const startedAt = rig.clock.now();
    while ((await rig.job(id))?.status === "ready") await rig.clock.advance(100);
    return rig.clock.now() - startedAt;
  };
  const reported = () =>
    rig.events.all.flatMap((event) => {
      if (event.type === "notifications-lost") return [`${event.direction} lost${event.forGood ? " for good" : ""}`];
      return event.type === "notifications-restored" ? [`${event.direction} restored`] : [];
    });
  return { ...rig, worker, startElsewhere, waitOf, reported };
}

/** A little more than a second: the step of the clock is in it. */
const aSecond = 1_100;

describe("a worker with a notify adapter", () => {
  it("looks seldom while wake-ups pass in both directions", async () => {
    const { worker, startElsewhere, waitOf, reported } = await setUp(createBroker());
    await worker.start();
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(50_000);
    expect(reported()).toEqual([]);
    expect(worker.health().notifications).toEqual({ listening: "ok", publishing: "ok" });
    await worker.stop();
  });

  it("looks each second after it found a job that no hint announced, until it finds no more for ten minutes", async () => {
    const { clock, worker, startElsewhere, waitOf, reported } = await setUp(createBroker());
    await worker.start();
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(50_000);
    for (let count = 0; count < 5; count += 1) {
      expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
      await clock.advance(10_000);
    }
    await clock.advance(690_000);
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(10_000);
    expect(reported()).toEqual([]);
    await worker.stop();
  });

  it("keeps its poll interval when it finds jobs that became due or waited for a free slot", async () => {
    const { clock, start, client, worker, startElsewhere, waitOf } = await setUp(createBroker());
    await worker.start();
    await client.startChain({ typeName: "a", input: 1, schedule: { afterMs: 300_000 } });
    await clock.advance(310_000);
    await start("a");
    await clock.advance(0);
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(10_000);
    await worker.stop();
  });

  it("looks at once although the broker hangs, then each second, reports it, and looks again when the subscription opens", async () => {
    const broker = createBroker();
    const opening = Promise.withResolvers<void>();
    broker.opening = opening.promise;
    const { clock, job, worker, startElsewhere, waitOf, reported } = await setUp(broker);
    const first = await startElsewhere();
    const started = worker.start();
    await clock.advance(0);
    expect((await job(first))?.status).toBe("completed");
    expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
    await clock.advance(5_000);
    await started;
    expect(reported()).toEqual(["listening lost"]);
    expect(worker.health()).toMatchObject({ status: "running", notifications: { listening: "lost" } });
    expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
    const last = await startElsewhere();
    opening.resolve();
    await clock.advance(0);
    expect((await job(last))?.status).toBe("completed");
    expect(reported()).toEqual(["listening lost", "listening restored"]);
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(50_000);
    await worker.stop();
  });

  it("looks at once when the subscription is lost, then each second, and reports it", async () => {
    const broker = createBroker();
    const { clock, job, worker, startElsewhere, waitOf, reported } = await setUp(broker);
    await worker.start();
    await clock.advance(10_000);
    const missed = await startElsewhere();
    broker.notify((listener) => listener.onLost(new Error("gone")));
    await clock.advance(0);
    expect((await job(missed))?.status).toBe("completed");
    for (let count = 0; count < 5; count += 1)
      expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
    broker.notify((listener) => listener.onRestored());
    await clock.advance(0);
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(50_000);
    expect(reported()).toEqual(["listening lost", "listening restored"]);
    await worker.stop();
  });

  it("reports when the broker's client has given up for good, and looks each second from then on", async () => {
    const broker = createBroker();
    const { worker, startElsewhere, waitOf, reported } = await setUp(broker);
    await worker.start();
    broker.notify((listener) => listener.onLost(new Error("gone")));
    broker.notify((listener) => listener.onLost(new ChainwrightError("closed", "the client has given up")));
    expect(reported()).toEqual(["listening lost", "listening lost for good"]);
    expect(worker.health().notifications).toEqual({ listening: "lost-for-good", publishing: "ok" });
    expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
    await worker.stop();
  });

  it("looks each second while it cannot publish, reports it, tries again, and then asks other processes to look", async () => {
    const broker = createBroker();
    const { clock, worker, start, startElsewhere, waitOf, reported } = await setUp(broker);
    await worker.start();
    await clock.advance(10_000);
    broker.refusal = new Error("no permission");
    await start("a");
    await clock.advance(0);
    expect(reported()).toEqual(["publishing lost"]);
    expect(worker.health().notifications).toEqual({ listening: "ok", publishing: "lost" });
    for (let count = 0; count < 5; count += 1)
      expect(await waitOf(await startElsewhere())).toBeLessThanOrEqual(aSecond);
    broker.refusal = undefined;
    await clock.advance(3_000);
    expect(reported()).toEqual(["publishing lost", "publishing restored"]);
    expect(broker.published.at(-1)?.hints).toEqual([{ kind: "look" }]);
    expect(await waitOf(await startElsewhere())).toBeGreaterThan(50_000);
    await worker.stop();
  });

  it("runs the jobs of its own process at once while the broker is away, hangs, or refuses", async () => {
    for (const breaks of [
      (broker: ReturnType<typeof createBroker>) => void (broker.opening = new Promise(() => {})),
      (broker: ReturnType<typeof createBroker>) => void (broker.opening = Promise.reject(new Error("away"))),
      (broker: ReturnType<typeof createBroker>) => void (broker.refusal = new Error("no")),
    ]) {
      const broker = createBroker();
      breaks(broker);
      broker.opening.catch(() => undefined);
      const { clock, job, start, worker, client } = await setUp(broker);
      const started = worker.start();
      await clock.advance(100);
      const id = await start("a");
      const wait = client.awaitChain({ id });
      await clock.advance(0);
      expect((await job(id))?.status).toBe("completed");
      expect(await wait).toMatchObject({ status: "completed" });
      await clock.advance(5_000);
      await started;
      await worker.stop();
    }
  });

  it("begins each job of its own process once although the broker returns its messages", async () => {
    const broker = createBroker();
    let looks = 0;
    const rig = createRig({
      notifyAdapter: broker.adapter,
      between: (store) => ({
        exchange(request, options) {
          if (request.outcomes.length === 0) looks += 1;
          return store.exchange(request, options);
        },
      }),
      processors: { a: () => 1 },
      worker: { pollIntervalMs: 60_000 },
    });
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(0);
    looks = 0;
    for (let count = 1; count <= 10; count += 1) {
      await rig.start("a");
      await rig.clock.advance(100);
      expect(looks).toBe(count);
    }
    await worker.stop();
  });
});

describe("a message", () => {
  const from = (storeId: string, ...hints: HintMessage["hints"]): HintMessage => ({
    storeId,
    senderId: "other",
    hints,
  });

  it("of another store changes nothing", async () => {
    const broker = createBroker();
    const { clock, job, worker, startElsewhere } = await setUp(broker);
    await worker.start();
    const id = await startElsewhere();
    for (const hint of [{ kind: "look" }, { kind: "ready", typeName: "a", count: 1 }] as const)
      broker.notify((listener) => listener.onMessage(from("another", hint)));
    await clock.advance(1_000);
    expect((await job(id))?.status).toBe("ready");
    await worker.stop();
  });

  it("with the hint to look makes a process look, at most once a second however many come", async () => {
    const broker = createBroker();
    let looks = 0;
    const rig = createRig({
      notifyAdapter: broker.adapter,
      between: (store) => ({
        exchange(request, options) {
          looks += 1;
          return store.exchange(request, options);
        },
      }),
      processors: { a: () => 1 },
      worker: { pollIntervalMs: 60_000 },
    });
    const worker = rig.createWorker();
    await worker.start();
    await rig.clock.advance(0);
    looks = 0;
    const storeId = await rig.store.storeId({});
    for (let count = 0; count < 1_000; count += 1) {
      broker.notify((listener) => listener.onMessage(from(storeId, { kind: "look" })));
      await rig.clock.advance(5);
    }
    expect(looks).toBeGreaterThanOrEqual(5);
    expect(looks).toBeLessThanOrEqual(6);
    await worker.stop();
  });
});
