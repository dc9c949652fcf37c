import { findBackend } from "@chainwright/backends/vitest";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type Clock,
  type StateAdapter,
} from "chainwright";
import { createVirtualClock, recordEvents } from "chainwright/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresStateAdapter } from "../src/index.ts";
import { openPg, openPostgresJs, type Client } from "./clients.ts";
import { claim, claimOf, completed, job, jobs, workerId } from "./jobs.ts";
import { openWire, type Wire } from "./wire.ts";

const url = await findBackend("postgres");

const libraries: readonly [string, (url: string) => Client<unknown>][] = [
  ["pg", (wired) => openPg(wired, 1)],
  ["postgres.js", (wired) => openPostgresJs(wired, 1)],
];

describe.skipIf(url === undefined).each(libraries)("round trips of the Postgres state adapter on %s", (name, open) => {
  const schema = `budgets of ${name} ${process.pid}`;
  let wire: Wire;
  let client: Client<unknown>;
  let store: StateAdapter;

  beforeAll(async () => {
    wire = await openWire(url ?? "");
    client = open(wire.url);
    store = createPostgresStateAdapter({ driver: client.driver(), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await client.execute(`drop schema "${schema}" cascade`);
    await client.end();
    await wire.close();
  });

  beforeEach(async () => {
    await client.execute(`delete from "${schema}".open_job`);
  });

  /** Counts the second call, because preparing a statement on a connection may take a round trip of its own. */
  const tripsOf = async (run: () => Promise<unknown>): Promise<number> => {
    await run();
    wire.count();
    await run();
    return wire.count();
  };

  it("a start takes one round trip", async () => {
    expect(await tripsOf(() => store.start([{ starts: [job("a")] }], {}))).toBe(1);
  });

  it("a start with blockers, starts inside it and a deduplication key takes one round trip", async () => {
    const [blocker] = jobs(1, "x");
    await store.start([{ starts: blocker === undefined ? [] : [blocker] }], {});
    const trips = await tripsOf(() => {
      const blockers = [
        { chainId: blocker?.id ?? "", typeName: "x" },
        { start: job("y", { blockers: [{ start: job("z") }] }) },
      ];
      const deduplication = { key: `k${Math.random()}`, scope: "active", windowMs: 1_000 } as const;
      return store.start([{ starts: [job("a", { blockers, deduplication })] }], {});
    });
    expect(trips).toBe(1);
  });

  it("a debounced and a throttled start take one round trip, as the first with its key and into a chain", async () => {
    for (const key of [
      { scope: "debounce", quietMs: 1_000, maxWaitMs: 5_000 },
      { scope: "throttle", perMs: 5_000 },
    ] as const) {
      let n = 0;
      const own = () => `k${(n += 1)}`;
      const start = (text: string) =>
        store.start([{ starts: [job("a", { deduplication: { key: text, ...key } })] }], {});
      expect(await tripsOf(() => start(own()))).toBe(1);
      expect(await tripsOf(() => start("k"))).toBe(1);
      expect(await tripsOf(() => start("k"))).toBe(1);
    }
  });

  it("a hundred starts take one round trip", async () => {
    expect(await tripsOf(() => store.start([{ starts: jobs(100, "a") }], {}))).toBe(1);
  });

  it("the starts of fifty callers take one round trip", async () => {
    expect(
      await tripsOf(() =>
        store.start(
          jobs(50, "a").map((start) => ({ starts: [start] })),
          {},
        ),
      ),
    ).toBe(1);
  });

  it("a start in a transaction takes one round trip more than the transaction", async () => {
    const trips = await tripsOf(() => store.transaction((tx) => store.start([{ starts: [job("a")] }], { tx })));
    expect(trips).toBe(3);
  });

  it("an exchange of a hundred outcomes for a hundred jobs takes one round trip", async () => {
    await store.start([{ starts: jobs(300, "a") }], {});
    let held = await claim(store, ["a"], 100);
    const trips = await tripsOf(async () => {
      const reply = await store.exchange(
        { outcomes: held.map((each) => completed(each)), claim: claimOf(["a"], 100) },
        {},
      );
      held = [...reply.claimed];
    });
    expect(trips).toBe(1);
    expect(held).toHaveLength(100);
  });

  it("an atomic outcome takes one round trip more than the transaction, with any consequences", async () => {
    const held = async () => {
      const chain = job("a");
      await store.start([{ starts: [chain] }], {});
      await store.start([{ starts: jobs(3, "b", { blockers: [{ chainId: chain.id, typeName: "a" }] }) }], {});
      return claim(store, ["a"], 1);
    };
    const settle = async (outcomes: Awaited<ReturnType<typeof held>>) =>
      store.transaction((tx) =>
        store.settle(
          outcomes.map((each) => completed(each)),
          { tx },
        ),
      );
    await settle(await held());
    const outcomes = await held();
    wire.count();
    const [reply] = await settle(outcomes);
    expect(wire.count()).toBe(3);
    expect(reply).toMatchObject({ status: "settled", unblocked: [{}, {}, {}] });
  });

  it("a renewal takes one round trip for any number of leases", async () => {
    await store.start([{ starts: jobs(50, "a") }], {});
    const held = (await claim(store, ["a"], 50)).map(({ id, fence }) => ({ jobId: id, fence, leaseMs: 1_000 }));
    expect(await tripsOf(() => store.renew({ workerId, held }, {}))).toBe(1);
  });

  it("every other call takes one round trip", async () => {
    const [first] = jobs(1, "a", { schedule: { afterMs: 1_000_000 } });
    const id = first?.id ?? "";
    await store.start([{ starts: first === undefined ? [] : [first] }], {});
    expect(await tripsOf(() => store.getChains([id], {}))).toBe(1);
    expect(await tripsOf(() => store.getJobs([id], {}))).toBe(1);
    expect(await tripsOf(() => store.count({}))).toBe(1);
    expect(await tripsOf(() => store.countAhead(id, 10, {}))).toBe(1);
    expect(await tripsOf(() => store.trigger([id], {}))).toBe(1);
    expect(await tripsOf(() => store.cancel([{ chainId: id, reason: "" }], {}))).toBe(1);
    expect(await tripsOf(() => store.retry([{ chainId: id, input: undefined, typeName: undefined }], {}))).toBe(1);
    expect(await tripsOf(() => store.remove({ chainIds: [id], cascade: false }, {}))).toBe(1);
    for (const chore of ["retention", "windows", "workers", "tally"] as const) {
      expect(await tripsOf(() => store.maintain({ chore, completedMs: 1, failedMs: 1, limit: 1 }, {}))).toBe(1);
    }
  });
});

describe.skipIf(url === undefined)("round trips of a worker", () => {
  const jobTypes = defineJobTypes<{
    value: { entry: true; input: number; output: number };
    atomic: { entry: true; input: number; output: number };
    staged: { entry: true; input: number; output: number };
    written: { entry: true; input: number; output: number };
  }>();
  const schema = `budgets of a worker ${process.pid}`;
  let wire: Wire;
  let pool: Client<unknown>;

  beforeAll(async () => {
    wire = await openWire(url ?? "");
    pool = openPg(wire.url, 12);
  });

  afterAll(async () => {
    await pool.execute(`drop schema "${schema}" cascade`);
    await pool.end();
    await wire.close();
  });

  const open = async (clock?: Clock) => {
    const stateAdapter = createPostgresStateAdapter({ driver: pool.driver(), schema });
    await stateAdapter.migrate();
    const events = recordEvents();
    const options = { stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes };
    const client = createClient({ ...options, observers: [events.observer], clock });
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        value: async ({ job: { input } }) => input,
        atomic: { handler: async ({ job: { input }, complete }) => complete(async () => input) },
        staged: {
          handler: async ({ job: { input }, prepare, complete }) => {
            await prepare({ mode: "staged" });
            return complete(async () => input);
          },
        },
        written: {
          handler: async ({ job: { input }, prepare, complete }) => {
            await prepare({ mode: "staged" }, async () => input);
            return complete(async () => input);
          },
        },
      },
    });
    return { client, events, worker: createWorker({ client, processors: [processors], concurrency: 10 }) };
  };

  /** Round trips per job when one worker processes many jobs, their starts included. */
  const tripsForEach = async (typeName: "value" | "atomic" | "staged" | "written"): Promise<number> => {
    const { client, events, worker } = await open();
    const run = async (count: number) => {
      const items = Array.from({ length: count }, (_, input) => ({ typeName, input }));
      const chains = await client.startChains({ items });
      for (const { id } of chains) await events.next("chain-completed", (event) => event.chainId === id);
    };
    await worker.start();
    // Prepares the statements on every connection.
    await run(50);
    wire.count();
    await run(300);
    const trips = wire.count();
    await worker.stop();
    await client.close();
    return trips / 300;
  };

  it("a value job takes at most 0.3 round trips", async () => {
    expect(await tripsForEach("value")).toBeLessThanOrEqual(0.3);
  });

  it("an atomic job takes at most 3 round trips besides the user's own statements", async () => {
    // Begin, the outcome and commit are three; the claims are shared among many jobs.
    expect(await tripsForEach("atomic")).toBeLessThanOrEqual(3.3);
  });

  it("a staged job takes at most 5 round trips", async () => {
    expect(await tripsForEach("staged")).toBeLessThanOrEqual(5.3);
  });

  it("a staged job whose prepare writes takes at most 6 round trips besides the user's own statements", async () => {
    // Begin, the fence and commit; begin, the outcome and commit.
    expect(await tripsForEach("written")).toBeLessThanOrEqual(6.3);
  });

  it("an idle worker takes four round trips in its first half minute", async () => {
    const clock = createVirtualClock();
    const { client, events, worker } = await open(clock);
    await worker.start();
    // It claims at once, and again when the subscription is open, and it sends a heartbeat.
    await expect.poll(() => events.all.filter(({ type }) => type === "exchanged").length).toBe(2);
    await expect.poll(async () => (await client.listWorkers()).length).toBe(1);
    wire.count();
    // Looks after 1, 3, 7 and 15 s.
    await clock.advance(29_000);
    expect(wire.count()).toBe(4);
    await worker.stop();
    await client.close();
  });
});
