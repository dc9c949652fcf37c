import { findBackend } from "@chainwright/backends/vitest";
import { startPostgresProxy, type PostgresProxy } from "@chainwright/backends/postgres-proxy";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type StateAdapter,
} from "chainwright";
import { Client, Pool, type PoolClient } from "pg";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, type PostgresDriver, type PostgresStateAdapterOptions } from "../src/index.ts";
import { openPGlite } from "./clients.ts";
import { job } from "./jobs.ts";
import { openDrizzleOnPostgresJs, openKysely, type OpenOrm } from "./orm-clients.ts";

/** An application with one connection, if its library supports a pool of one. */
interface Application<Tx> {
  readonly driver: PostgresDriver<Tx>;
  execute(tx: Tx, sql: string): PromiseLike<unknown>;
  end(): Promise<unknown>;
}

const url = await findBackend("postgres");

const openPg = (at: string) => {
  const pool = new Pool({ connectionString: at, max: 1, application_name: application });
  return {
    driver: pg(pool),
    execute: (tx, sql) => tx.query(sql),
    end: () => pool.end(),
  } satisfies Application<PoolClient>;
};
const openPostgresJs = (at: string) => {
  const connection = { application_name: application };
  const sql = postgres(at, { max: 1, onnotice: () => {}, connection });
  return {
    driver: postgresJs(sql),
    execute: (tx, text) => tx.unsafe(text),
    end: () => sql.end({ timeout: 1 }),
  } satisfies Application<postgres.TransactionSql>;
};
const ofOrm =
  <Tx>(open: OpenOrm<Tx>) =>
  (at: string): Application<Tx> =>
    open(at);

const application = `limits ${process.pid}`;
const schema = `limits ${process.pid}`;
const [lockKey, soonMs] = [`hashtext('${schema}')`, 50];
/** Waits for as long as the test holds the lock. */
const hang = `select pg_advisory_xact_lock(${lockKey})`;

describe.skipIf(url === undefined)("limits", { timeout: 30_000 }, () => {
  let control: Client;

  beforeAll(async () => {
    control = new Client({ connectionString: url });
    await control.connect();
    const migrating = openPg(url ?? "");
    await createPostgresStateAdapter({ driver: migrating.driver, schema }).migrate();
    await migrating.end();
    await control.query(`select pg_advisory_lock(${lockKey})`);
  });

  afterAll(async () => {
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  const sessions = async (condition: string): Promise<number> => {
    const { rowCount } = await control.query(
      `select from pg_stat_activity where application_name = $1 and ${condition}`,
      [application],
    );
    return rowCount ?? 0;
  };

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
      await expect.poll(() => sessions("true"), { timeout: 20_000 }).toBe(0);
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
      expect(await sessions("state like 'idle in transaction%'")).toBe(0);
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
  describe("with Drizzle on postgres.js", () => {
    suite(ofOrm(openDrizzleOnPostgresJs));
  });

  describe.each([
    ["pg", openPg],
    ["postgres.js", openPostgresJs],
  ] as const)("of calls, with %s", (_, open) => {
    const ends: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      // Cut the network first, because postgres.js waits for connections that do not reply.
      for (const end of ends.splice(0)) await end();
    });

    /** Two drivers on one connection, which the one without a limit has opened. */
    const on = async (where: string) => {
      // The two handles have different types, and are only passed on.
      const { driver, end } = open(where) as Application<unknown>;
      ends.push(end);
      const patient = createPostgresStateAdapter({ driver, schema });
      await patient.start([{ starts: [job("a")] }], {});
      return { patient, store: createPostgresStateAdapter({ driver, schema, callLimitMs: 500 }) };
    };

    it("a call that waits for a lock is abandoned with an unknown outcome, and its connection is free or replaced", async () => {
      const { store, patient } = await on(url ?? "");
      const chain = job("a");
      await patient.start([{ starts: [chain] }], {});
      await control.query("begin");
      await control.query(`select from "${schema}".open_job where job_id = $1 for update`, [chain.id]);
      await expect(store.cancel([{ chainId: chain.id, reason: undefined }], {})).rejects.toMatchObject({
        code: "store-unavailable",
        details: { outcome: "unknown" },
      });
      expect(await patient.getChains([chain.id], {})).toMatchObject([{ id: chain.id }]);
      await control.query("rollback");
    });

    it("a call that gets no connection is refused, and nothing was sent", async () => {
      const { store, patient } = await on(url ?? "");
      const chain = job("a");
      await patient.transaction(async () => {
        const start = store.start([{ starts: [chain] }], {});
        await expect(start).rejects.toMatchObject({ code: "store-unavailable", details: {} });
        await expect(store.transaction(async () => {})).rejects.toMatchObject({
          code: "store-unavailable",
          details: {},
        });
      });
      expect(await patient.getChains([chain.id], {})).toEqual([undefined]);
    });

    it.each(["commit", "start"])(
      "a transaction or call whose %s gets no reply is abandoned with an unknown outcome",
      async (what) => {
        const network = await withoutReplies();
        ends.push(network.close);
        // postgres.js sends a prepared statement in one message.
        const { store } = await on(network.url);
        const chain = job("a");
        const call =
          what === "start"
            ? network.during(() => store.start([{ starts: [chain] }], {}))
            : store.transaction(async (tx) => {
                await store.start([{ starts: [chain] }], { tx });
                network.begin();
              });
        await expect(call).rejects.toMatchObject({ code: "store-unavailable", details: { outcome: "unknown" } });
        network.end();
        const { patient } = await on(url ?? "");
        const isThere = async () => (await patient.getChains([chain.id], {}))[0]?.id;
        await expect.poll(isThere, { timeout: 20_000 }).toBe(chain.id);
      },
    );
  });

  it("a call that needs a transaction because the role has another isolation level is abandoned as well", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const pool = new Pool({ connectionString: url, max: 1, application_name: application, options });
    const patient = createPostgresStateAdapter({ driver: pg(pool), schema });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema, callLimitMs: 500 });
    const chain = job("a");
    await patient.start([{ starts: [chain] }], {});
    await store.start([{ starts: [job("a")] }], {});
    await control.query("begin");
    await control.query(`select from "${schema}".open_job where job_id = $1 for update`, [chain.id]);
    await expect(store.cancel([{ chainId: chain.id, reason: undefined }], {})).rejects.toMatchObject({
      code: "store-unavailable",
      details: { outcome: "unknown" },
    });
    expect(await patient.getChains([chain.id], {})).toMatchObject([{ id: chain.id }]);
    await control.query("rollback");
    await pool.end();
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
    await expect.poll(() => sessions("true"), { timeout: 20_000 }).toBe(0);
  });
});

/** A connection to the server on which replies can be lost, but no requests. */
async function withoutReplies() {
  let loses = false;
  const proxy: PostgresProxy = await startPostgresProxy(url ?? "", {
    fateOf: ({ from }) => (loses && from === "server" ? "lose" : "pass"),
  });
  return {
    url: proxy.url,
    begin: () => {
      loses = true;
    },
    end: () => {
      loses = false;
    },
    during: <T>(run: () => Promise<T>): Promise<T> => {
      loses = true;
      return run();
    },
    close: proxy.close,
  };
}

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
