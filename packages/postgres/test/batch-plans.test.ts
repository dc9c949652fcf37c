import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes, defineLimits } from "chainwright";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { openPlanMeter } from "./plan-meter.ts";

const url = await findBackend("postgres");

const count = 300;
/** More than all jobs of a batch may pass. */
const longInbox = 30 * count;
/** How many rows a statement may pass for each job. Some compare a job with the types that a worker has. */
const mostRows = 12;

const jobTypes = defineJobTypes<{
  plain: { entry: true; input: null; output: null };
  first: { entry: true; input: null; continueWith: "second" };
  second: { input: null; output: null };
  join: { entry: true; input: null; output: null; blockers: [...("plain" | "failing")[]] };
  failing: { entry: true; input: null; output: null };
  retried: { entry: true; input: null; output: null };
  keyed: { entry: true; input: number; output: null };
  rated: { entry: true; input: number; output: null };
  held: { entry: true; input: number; output: null };
}>();
const limits = [
  defineLimits({
    jobTypes,
    limits: {
      tenant: { keys: { keyed: (n) => `${n % 100}` }, concurrency: 2 },
      total: { keys: { keyed: () => "all" }, concurrency: count },
      rate: { keys: { rated: (n) => `${n % 3}` }, rate: { count, perMs: 100 } },
      alone: { keys: { held: (n) => `${n % 100}` }, concurrency: 1, whileRetrying: "hold" },
    },
  }),
];

/** Pages do not show a plan that compares all jobs of a batch with each other, and its time grows with their square. */
describe.skipIf(url === undefined)("calls about many jobs", { timeout: 120_000 }, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off", autovacuum: "off" } });
  });
  afterAll(async () => {
    await server.stop();
  });

  /** Tables are as they are for the first call of a new process: no statistics were made. */
  const open = async (schema: string) => {
    const { pool, take } = openPlanMeter(server.url, 4);
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await stateAdapter.migrate();
    const client = createClient({ stateAdapter, jobTypes, limits, observers: [] });
    let ended = 0;
    const end = async () => {
      ended += 1;
      return null;
    };
    const fail = () => {
      ended += 1;
      throw new Error("for good");
    };
    const once = { maxAttempts: 1 };
    const soon = { maxAttempts: 2, backoff: { initialMs: 20, maxMs: 20, multiplier: 1, jitter: 0 } };
    const endAtSecond = async ({ job }: { readonly job: { readonly attempt: number } }) => {
      if (job.attempt < 2) throw new Error("once more");
      return await end();
    };
    const processors = [
      createProcessors({
        client,
        jobTypes,
        processors: {
          plain: end,
          first: async ({ continueWith }) => continueWith({ typeName: "second", input: null }),
          second: end,
          join: end,
          failing: { retry: once, handler: fail },
          retried: { retry: soon, handler: endAtSecond },
          keyed: end,
          rated: end,
          held: { retry: soon, handler: endAtSecond },
        },
      }),
    ];
    const work = async (until: number) => {
      ended = 0;
      const worker = createWorker({ client, processors, concurrency: count });
      await worker.start();
      await expect.poll(() => ended, { timeout: 30_000 }).toBeGreaterThanOrEqual(until);
      await worker.stop();
    };
    return { pool, take, client, work };
  };
  type Opened = Awaited<ReturnType<typeof open>>;

  const many = <T>(start: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => start(n));
  const plain = { typeName: "plain", input: null } as const;
  const failing = { typeName: "failing", input: null } as const;

  const shapes: Readonly<Record<string, (opened: Opened) => Promise<void>>> = {
    values: async ({ client, work }) => {
      await client.startChains({ items: many(() => plain) });
      await work(count);
    },
    continuations: async ({ client, work }) => {
      await client.startChains({ items: many(() => ({ typeName: "first", input: null }) as const) });
      await work(count);
    },
    "a blocker each": async ({ client, work }) => {
      const blockers = await client.startChains({ items: many(() => plain) });
      const join = (n: number) => ({ typeName: "join", input: null, blockers: [blockers[n] ?? plain] }) as const;
      await client.startChains({ items: many(join) });
      await work(2 * count);
    },
    "all blockers of one": async ({ client, work }) => {
      const blockers = await client.startChains({ items: many(() => plain) });
      await client.startChain({ typeName: "join", input: null, blockers });
      await work(count + 1);
    },
    "one blocker of all": async ({ client, work }) => {
      const blocker = await client.startChain(plain);
      await client.startChains({
        items: many(() => ({ typeName: "join", input: null, blockers: [blocker] }) as const),
      });
      await work(count + 1);
    },
    "blockers that fail, retries, and deletions": async ({ client, work }) => {
      const blockers = await client.startChains({ items: many(() => failing) });
      const join = (n: number) => ({ typeName: "join", input: null, blockers: [blockers[n] ?? failing] }) as const;
      const joins = await client.startChains({ items: many(join) });
      await work(count);
      await client.retryChains({ items: blockers.map(({ id }) => ({ id })) });
      await work(count);
      await client.deleteChains({ items: [...joins, ...blockers] });
    },
    "attempts that fail": async ({ client, work }) => {
      await client.startChains({ items: many(() => ({ typeName: "retried", input: null }) as const) });
      await work(count);
    },
    "delayed jobs": async ({ client, work }) => {
      await client.startChains({ items: many(() => ({ ...plain, schedule: { afterMs: 50 } })) });
      await work(count);
    },
    "deduplication keys": async ({ client, work }) => {
      const items = many((n) => ({ ...plain, deduplication: { key: `key ${n}` } }));
      const chains = await client.startChains({ items });
      expect(await client.startChains({ items })).toEqual(chains.map((chain) => ({ ...chain, deduplicated: true })));
      await work(count);
      await client.startChains({ items });
      await work(count);
    },
    cancellations: async ({ client }) => {
      const blockers = await client.startChains({ items: many(() => plain) });
      const keyed = await client.startChains({ items: many((n) => ({ typeName: "keyed", input: n }) as const) });
      await client.startChain({ typeName: "join", input: null, blockers });
      await client.cancelChains({ items: [...keyed, ...blockers] });
    },
    "limits by key": async ({ client, work }) => {
      await client.startChains({ items: many((n) => ({ typeName: "keyed", input: n }) as const) });
      await work(count);
    },
    "rates by key": async ({ client, work }) => {
      await client.startChains({ items: many((n) => ({ typeName: "rated", input: n }) as const) });
      await work(count);
    },
    "one at a time of a key, which keeps its place for a retry": async ({ client, work }) => {
      await client.startChains({ items: many((n) => ({ typeName: "held", input: n }) as const) });
      await work(count);
    },
    "the first jobs of a long inbox": async ({ client, work }) => {
      for (let started = 0; started < longInbox; started += count) {
        await client.startChains({ items: many((n) => ({ typeName: "held", input: n }) as const) });
      }
      await work(count);
    },
    "the first jobs of keys beside others that are delayed": async ({ client, work }) => {
      const keyed = (n: number) => ({ typeName: "keyed", input: n }) as const;
      for (let started = 0; started < longInbox; started += count) {
        await client.startChains({ items: many((n) => ({ ...keyed(n), schedule: { afterMs: 1_000_000 } })) });
      }
      await client.startChains({ items: many(keyed) });
      await work(count);
    },
    "an old backlog of many keys": async ({ pool, client, work }) => {
      for (const typeName of ["keyed", "held"] as const)
        await client.startChains({ items: many((n) => ({ typeName, input: n }) as const) });
      await pool.query(`update ${quoted}.open_job set due_at = due_at - 10000`);
      await work(2 * count);
    },
  };

  const quoted = '"batch plans"';
  beforeEach(async () => {
    const admin = new Pool({ connectionString: server.url, max: 1 });
    await admin.query(`drop schema if exists ${quoted} cascade`);
    await admin.end();
  });

  it.each(Object.entries(shapes))("pass a few rows for each: %s", async (_, play) => {
    const opened = await open("batch plans");
    await play(opened);
    await opened.client.close();
    await opened.pool.end();
    const passed = opened.take();
    expect(passed.length).toBeGreaterThan(5);
    expect(passed.filter(({ rows }) => rows > mostRows * count)).toEqual([]);
  });
});
