import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Pool, type PoolClient } from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter, type PostgresDriver } from "../src/index.ts";
import { openPGlite } from "./clients.ts";
import { claim, claimOf, completed, job, jobs, workerId } from "./jobs.ts";
import {
  openDrizzle,
  openDrizzleOnPostgresJs,
  openKnex,
  openKysely,
  openKyselyOnPostgresJs,
  type OpenOrm,
} from "./orm-clients.ts";
import { openPrisma } from "./prisma-client.ts";
import { openWire } from "./wire.ts";

/** An application that opens transactions itself and passes their handles as `tx`. */
interface Application<Tx> {
  readonly driver: PostgresDriver<Tx>;
  transact<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  execute(tx: Tx, sql: string): Promise<unknown>;
  end(): Promise<void>;
}

const url = await findBackend("postgres");

const openPg = (max = 1): Application<PoolClient> => {
  const pool = new Pool({ connectionString: url, max });
  return {
    driver: pg(pool),
    transact: async (run) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const value = await run(client);
        await client.query("commit");
        return value;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    execute: (tx, sql) => tx.query(sql),
    end: () => pool.end(),
  };
};

const openPostgresJs = (): Application<postgres.TransactionSql> => {
  const sql = postgres(url ?? "", { max: 1, onnotice: () => {} });
  return {
    driver: postgresJs(sql),
    transact: async <T>(run: (tx: postgres.TransactionSql) => Promise<T>) => {
      const result: { value?: { readonly of: T } } = {};
      await sql.begin(async (tx) => {
        result.value = { of: await run(tx) };
      });
      if (result.value === undefined) throw new Error("it has run");
      return result.value.of;
    },
    execute: async (tx, text) => tx.unsafe(text),
    end: () => sql.end(),
  };
};

const ofOrm =
  <Tx>(open: OpenOrm<Tx>) =>
  (): Application<Tx> => {
    const { driver, begin, execute, end } = open(url ?? "");
    return { driver, transact: begin, execute, end };
  };

describe.skipIf(url === undefined)("a transaction that the application opened", { timeout: 30_000 }, () => {
  describe("with pg", () => {
    suite(openPg, "given pg");
  });
  describe("with postgres.js", () => {
    suite(openPostgresJs, "given postgres.js");
  });
  describe("with Kysely", () => {
    suite(ofOrm(openKysely), "given kysely");
  });
  describe("with Kysely on postgres.js", () => {
    suite(ofOrm(openKyselyOnPostgresJs), "given kysely js");
  });
  describe("with Drizzle on pg", () => {
    suite(ofOrm(openDrizzle), "given drizzle");
  });
  describe("with Drizzle on postgres.js", () => {
    suite(ofOrm(openDrizzleOnPostgresJs), "given drizzle js");
  });
  describe("with Knex", () => {
    suite(ofOrm(openKnex), "given knex");
  });
  describe("with Prisma", () => {
    suite(ofOrm(openPrisma), "given prisma");
  });
});

const db = await openPGlite();
describe("a transaction that the application opened, with PGlite", { timeout: 30_000 }, () => {
  suite(
    () => ({
      driver: pglite(db.database),
      transact: (run) => db.database.transaction(run),
      execute: (tx, sql) => tx.exec(sql),
      end: db.end,
    }),
    "given pglite",
  );
});

function suite<Tx>(open: () => Application<Tx>, name: string): void {
  const schema = `${name} ${process.pid}`;
  let application: Application<Tx>;
  let store: StateAdapter<Tx>;

  beforeAll(async () => {
    application = open();
    store = createPostgresStateAdapter({ driver: application.driver, schema });
    await store.migrate();
  }, 30_000);

  afterAll(async () => {
    await application.transact((tx) => application.execute(tx, `drop schema "${schema}" cascade`));
    await application.end();
  });

  const isThere = async (id: string) => (await store.getChains([id], {}))[0] !== undefined;
  /** The message of the driver, or of the client library if that refuses first. */
  const refusal = async (tx: Tx, id: string): Promise<unknown> =>
    store.start([{ starts: [job("a", { id })] }], { tx }).then(
      () => "accepted",
      (error: unknown) => error,
    );

  it("can start, settle and claim, whether or not it has written before", async () => {
    const [first, second] = jobs(2, "held");
    if (first === undefined || second === undefined) throw new Error("two");
    await application.transact(async (tx) => {
      await store.start([{ starts: [first] }], { tx });
      await store.start([{ starts: [second, job("other", { priority: 1 })] }], { tx });
    });
    const [held] = await claim(store, ["held"], 1);
    if (held === undefined) throw new Error("it is claimed");
    const reply = await application.transact(async (tx) => {
      await store.renew({ workerId, held: [{ jobId: held.id, fence: held.fence, leaseMs: 30_000 }] }, { tx });
      return store.exchange({ outcomes: [completed(held)], claim: claimOf(["held"], 5) }, { tx });
    });
    expect(reply).toMatchObject({ settled: [{ status: "settled" }], claimed: [{ id: second.id }] });
    expect(await store.getChains([first.id], {})).toMatchObject([{ status: "completed" }]);
  });

  it("continues after a rollback to a savepoint", async () => {
    const [kept, undone, last] = jobs(3, "savepoint");
    await application.transact(async (tx) => {
      await application.execute(tx, "savepoint a");
      await store.start([{ starts: undone === undefined ? [] : [undone] }], { tx });
      await application.execute(tx, "rollback to savepoint a");
      await store.start([{ starts: kept === undefined ? [] : [kept] }], { tx });
      await store.start([{ starts: last === undefined ? [] : [last] }], { tx });
    });
    const there = await Promise.all([kept, undone, last].map((each) => isThere(each?.id ?? "")));
    expect(there).toEqual([true, false, true]);
  });

  it.each(["never before", "before as well"])("refuses a start once it has ended, when used %s", async (used) => {
    const late = job("a");
    const handle = await application.transact(async (tx) => {
      if (used === "before as well") await store.start([{ starts: [job("a")] }], { tx });
      return tx;
    });
    expect(await refusal(handle, late.id)).toBeInstanceOf(Error);
    expect(await isThere(late.id)).toBe(false);
  });

  it("refuses a start once it was rolled back", async () => {
    const late = job("a");
    let handle: Tx | undefined;
    await application
      .transact(async (tx) => {
        handle = tx;
        await store.start([{ starts: [job("a")] }], { tx });
        throw new Error("undo");
      })
      .catch(() => undefined);
    if (handle === undefined) throw new Error("it has begun");
    expect(await refusal(handle, late.id)).toBeInstanceOf(Error);
    expect(await isThere(late.id)).toBe(false);
  });
}

describe.skipIf(url === undefined)("the handle of pg, which is the connection itself", { timeout: 30_000 }, () => {
  const schema = `given pg client ${process.pid}`;
  let application: Application<PoolClient>;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    application = openPg();
    store = createPostgresStateAdapter({ driver: application.driver, schema });
    await store.migrate();
  }, 30_000);

  afterAll(async () => {
    await application.transact((tx) => tx.query(`drop schema "${schema}" cascade`));
    await application.end();
  });

  const start = (tx: PoolClient) => store.start([{ starts: [job("a")] }], { tx });

  it("is refused with closed", async () => {
    const handle = await application.transact(async (tx) => tx);
    await expect(start(handle)).rejects.toMatchObject({ code: "closed" });
  });

  it("is refused while the library has a transaction on that connection", async () => {
    const handle = await application.transact(async (tx) => tx);
    await store.transaction(async (tx) => {
      await expect(start(handle)).rejects.toMatchObject({ code: "closed" });
      await start(tx);
    });
  });

  it("that the library lends refuses the application's own statements after the end of the transaction", async () => {
    const kept = await store.transaction(async (tx) => {
      await tx.query("select 1");
      return { tx, query: tx.query };
    });
    expect(() => kept.tx.query("select 1")).toThrow(expect.objectContaining({ code: "closed" }));
    expect(() => kept.query("select 1")).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it("costs no round trip if the transaction has written before, and one if it has not", async () => {
    const wire = await openWire(url ?? "");
    const pool = new Pool({ connectionString: wire.url, max: 1 });
    const wired = createPostgresStateAdapter({ driver: pg(pool), schema });
    await wired.listWorkers({});
    const client = await pool.connect();
    const trips = async (prior: string): Promise<number> => {
      await client.query("begin");
      await client.query(prior);
      wire.count();
      await wired.start([{ starts: [job("a")] }], { tx: client });
      const counted = wire.count();
      await client.query("rollback");
      return counted;
    };
    try {
      expect(await trips("create temporary table written (id text) on commit drop")).toBe(1);
      expect(await trips("select 1")).toBe(2);
    } finally {
      client.release();
      await pool.end();
      await wire.close();
    }
  });
});
