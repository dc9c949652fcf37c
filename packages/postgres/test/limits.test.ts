import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type StateAdapter,
} from "chainwright";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { createPostgresStateAdapter, type PostgresStateAdapterOptions } from "../src/index.ts";
import { openPGlite } from "./clients.ts";
import { job } from "./jobs.ts";
import {
  application,
  countSessions,
  openPg,
  openPostgresJs,
  prepareStore,
  schema,
  url,
  type Application,
} from "./limited-application.ts";
import { openDrizzle, openDrizzleOnPostgresJs, openKnex, openKysely, type OpenOrm } from "./orm-clients.ts";

const ofOrm =
  <Tx>(open: OpenOrm<Tx>) =>
  (at: string): Application<Tx> =>
    open(at);

const [lockKey, soonMs] = [`hashtext('${schema}')`, 50];
/** Waits for as long as the test holds the lock. */
const hang = `select pg_advisory_xact_lock(${lockKey})`;

describe.skipIf(url === undefined)("limits", { timeout: 30_000 }, () => {
  const control = prepareStore();

  beforeAll(async () => {
    await control.query(`select pg_advisory_lock(${lockKey})`);
  });

  const suite = <Tx>(open: (at: string) => Application<Tx>): void => {
    const opened: Application<Tx>[] = [];
    const at = (options: Partial<PostgresStateAdapterOptions<Tx>>, where = url ?? "") => {
      const own = open(where);
      opened.push(own);
      const store = createPostgresStateAdapter({ driver: own.driver, schema, ...options });
      return { own, store };
    };
    const isThere = async (store: StateAdapter<Tx>, id: string) => (await store.getChains([id], {}))[0] !== undefined;

    // Each case also checks that the documented shutdown ends.
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((each) => each.end()));
      await expect.poll(() => countSessions(control, "true"), { timeout: 20_000 }).toBe(0);
    });

    it("a transaction whose callback never ends is rolled back, and its tx is closed", async () => {
      const { store } = at({ transactionTimeoutMs: soonMs });
      const [chain, late] = [job("a"), job("a")];
      let kept: Tx | undefined;
      const endless = store.transaction(async (tx) => {
        kept = tx;
        await store.start([{ starts: [chain] }], { tx });
        await new Promise(() => {});
      });
      await expect(endless).rejects.toMatchObject({ code: "timeout" });
      await expect(store.start([{ starts: [late] }], { tx: kept })).rejects.toMatchObject({ code: "closed" });
      expect([await isThere(store, chain.id), await isThere(store, late.id)]).toEqual([false, false]);
      expect(await countSessions(control, "state like 'idle in transaction%'")).toBe(0);
    });

    it("a transaction that waits in a statement is abandoned, and its connection is free or replaced", async () => {
      const { store, own } = at({ transactionTimeoutMs: soonMs });
      const chain = job("a");
      let hanging: Promise<unknown> | undefined;
      const stuck = store.transaction(async (tx) => {
        await store.start([{ starts: [chain] }], { tx });
        hanging = Promise.resolve(own.execute(tx, hang));
        await hanging;
      });
      await expect(stuck).rejects.toMatchObject({ code: "timeout" });
      // If the connection was closed, the server notices it only when the statement ends.
      await control.query(`select pg_advisory_unlock(${lockKey})`);
      await hanging?.catch(() => undefined);
      await control.query(`select pg_advisory_lock(${lockKey})`);
      expect(await isThere(store, chain.id)).toBe(false);
    });

    it("Infinity sets no limit", async () => {
      const { store } = at({ transactionTimeoutMs: Infinity, callLimitMs: Infinity });
      const chain = job("a");
      await store.transaction((tx) => store.start([{ starts: [chain] }], { tx }));
      expect(await isThere(store, chain.id)).toBe(true);
    });
  };

  describe("with pg", () => {
    suite(openPg);
  });
  describe("with postgres.js", () => {
    suite(openPostgresJs);
  });
  describe("with Kysely", () => {
    suite(ofOrm(openKysely));
  });
  describe("with Drizzle on pg", () => {
    suite(ofOrm(openDrizzle));
  });
  describe("with Drizzle on postgres.js", () => {
    suite(ofOrm(openDrizzleOnPostgresJs));
  });
  describe("with Knex", () => {
    suite(ofOrm(openKnex));
  });

  it("the documented shutdown ends although the callback of a complete never does", async () => {
    const pool = new Pool({ connectionString: url, max: 4, application_name: application });
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema, transactionTimeoutMs: 1_500 });
    const jobTypes = defineJobTypes<{ endless: { entry: true; input: null; output: null } }>();
    const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes });
    const begun = Promise.withResolvers<void>();
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        endless: {
          retry: { maxAttempts: 1 },
          timeoutMs: 1_000,
          handler: async ({ complete }) =>
            complete(async ({ tx }) => {
              await tx.query("select 1");
              begun.resolve();
              return new Promise<null>(() => {});
            }),
        },
      },
    });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    const chain = await client.startChain({ typeName: "endless", input: null });
    await begun.promise;
    await expect(client.awaitChain(chain)).rejects.toMatchObject({ code: "chain-failed" });
    await worker.stop({ timeoutMs: 1_000 });
    await client.close();
    await stateAdapter.close();
    await pool.end();
    await expect.poll(() => countSessions(control, "true"), { timeout: 20_000 }).toBe(0);
  });
});

const db = await openPGlite();
describe("limits, with PGlite", { timeout: 30_000 }, () => {
  afterAll(() => db.end());

  it("a transaction whose callback never ends is rolled back, and its tx is closed", async () => {
    const store = createPostgresStateAdapter({ driver: pglite(db.database), schema, transactionTimeoutMs: soonMs });
    await store.migrate();
    const chain = job("a");
    let kept: unknown;
    const endless = store.transaction(async (tx) => {
      kept = tx;
      await store.start([{ starts: [chain] }], { tx });
      await new Promise(() => {});
    });
    await expect(endless).rejects.toMatchObject({ code: "timeout" });
    const untyped: StateAdapter = store;
    await expect(untyped.start([{ starts: [job("a")] }], { tx: kept })).rejects.toMatchObject({ code: "closed" });
    expect(await store.getChains([chain.id], {})).toEqual([undefined]);
  });
});

describe("invalid limits", () => {
  it.each([{ transactionTimeoutMs: 0 }, { transactionTimeoutMs: Number.NaN }, { callLimitMs: -1 }])(
    "%o is refused",
    (limit) => {
      const make = () => createPostgresStateAdapter({ driver: pglite(db.database), ...limit });
      expect(make).toThrow(expect.objectContaining({ code: "invalid-input" }));
    },
  );
});
