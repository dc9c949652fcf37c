import { findBackend } from "@chainwright/backends/vitest";
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  isChainwrightError,
  type StateAdapter,
} from "chainwright";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "../src/index.ts";
import { job } from "./jobs.ts";
import {
  openDrizzle,
  openDrizzleOnPostgresJs,
  openKnex,
  openKysely,
  openKyselyOnPostgresJs,
  type OpenOrm,
} from "./orm-clients.ts";
import { openPrisma } from "./prisma-client.ts";

const url = await findBackend("postgres");
const schema = `orm drivers ${process.pid}`;
const control = new Client({ connectionString: url });

describe.skipIf(url === undefined)("the driver for", { timeout: 30_000 }, () => {
  beforeAll(async () => {
    await control.connect();
    const orm = openKysely(url ?? "");
    await createPostgresStateAdapter({ driver: orm.driver, schema }).migrate();
    await orm.end();
    await control.query(`create table "${schema}".paid (id text primary key)`);
  });
  afterAll(async () => {
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  describe("Kysely", () => {
    suite(openKysely);
  });
  describe("Kysely on postgres.js", () => {
    suite(openKyselyOnPostgresJs);
  });
  describe("Drizzle on pg", () => {
    suite(openDrizzle);
  });
  describe("Drizzle on postgres.js", () => {
    suite(openDrizzleOnPostgresJs);
  });
  describe("Knex", () => {
    suite(openKnex);
  });
  describe("Prisma", () => {
    suite(openPrisma);
  });

  it("Prisma does not end a transaction of the library after Prisma's own limit", async () => {
    const orm = openPrisma(url ?? "", 2, { timeout: 30, maxWait: 30 });
    onTestFinished(orm.end);
    const store = createPostgresStateAdapter({ driver: orm.driver, schema });
    const chain = job("a");
    await store.transaction(async (tx) => {
      await orm.execute(tx, "select pg_sleep(0.2)");
      await store.start([{ starts: [chain] }], { tx });
    });
    expect(await isThere(store, chain.id)).toBe(true);
  });

  it("Prisma passes on Prisma's error if a transaction of the application has reached Prisma's limit", async () => {
    const orm = openPrisma(url ?? "", 2, { timeout: 30 });
    onTestFinished(orm.end);
    const store = createPostgresStateAdapter({ driver: orm.driver, schema });
    const chain = job("a");
    const late = orm.begin(async (tx) => {
      await orm.execute(tx, "select pg_sleep(0.2)");
      await store.start([{ starts: [chain] }], { tx });
    });
    await expect(late).rejects.toMatchObject({ code: "P2028" });
    expect(await isThere(store, chain.id)).toBe(false);
  });
});

async function isThere<Tx>(store: StateAdapter<Tx>, id: string): Promise<boolean> {
  return (await store.getChains([id], {}))[0] !== undefined;
}

function suite<Tx>(open: OpenOrm<Tx>): void {
  const connect = (max?: number) => {
    const orm = open(url ?? "", max);
    onTestFinished(orm.end);
    return { orm, store: createPostgresStateAdapter({ driver: orm.driver, schema }) };
  };

  it("runs a worker that is woken by LISTEN, on a pool of two connections", async () => {
    const { orm, store: stateAdapter } = connect(2);
    const jobTypes = defineJobTypes<{ woken: { entry: true; input: string; output: string } }>();
    const prefix = `orm_${process.pid}`;
    const notifyAdapter = createPostgresNotifyAdapter({ driver: orm.driver, channelPrefix: prefix });
    const client = createClient({ stateAdapter, notifyAdapter, jobTypes });
    const handler = async ({ job: { input } }: { job: { input: string } }) => `did ${input}`;
    const processors = createProcessors({ client, jobTypes, processors: { woken: handler } });
    const worker = createWorker({ client, processors: [processors], pollIntervalMs: 60_000 });
    await worker.start();
    // Another process.
    const others = connect(2);
    const otherNotify = createPostgresNotifyAdapter({ driver: others.orm.driver, channelPrefix: prefix });
    const other = createClient({ stateAdapter: others.store, notifyAdapter: otherNotify, jobTypes });
    const chain = await other.transaction(async (tx) => other.startChain({ tx, typeName: "woken", input: "it" }));
    expect(await other.awaitChain(chain, { timeoutMs: 10_000 })).toMatchObject({ output: "did it" });
    await worker.stop();
    await Promise.all([client.close(), other.close()]);
    await Promise.all([notifyAdapter.close(), otherNotify.close()]);
  });

  it("works on a pool of one connection", async () => {
    const { orm, store } = connect(1);
    const chain = job("a");
    await store.transaction(async (tx) => store.start([{ starts: [chain] }], { tx }));
    expect(await isThere(store, chain.id)).toBe(true);
    await orm.begin(async (tx) => store.trigger([chain.id], { tx }));
    expect(await isThere(store, chain.id)).toBe(true);
  });

  it("lets the library's own statements in the transaction see the chain, and rolls both back", async () => {
    const { orm, store } = connect();
    const chain = job("a");
    const count = `select count(*)::int as found from "${schema}".job where id = '${chain.id}'`;
    const undone = store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      expect(await orm.rows(tx, count)).toEqual([{ found: 1 }]);
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await isThere(store, chain.id)).toBe(false);
  });

  it("keeps what was started in a nested transaction only if that was not rolled back", async () => {
    const { orm, store } = connect();
    const { nested } = orm;
    if (nested === undefined) return;
    const [kept, undone, outer] = [job("a"), job("a"), job("a")];
    for (const transact of [store.transaction, orm.begin]) {
      const ids = [kept, undone, outer].map((each) => ({ ...each, id: crypto.randomUUID() }));
      const [first, second, third] = ids;
      if (first === undefined || second === undefined || third === undefined) throw new Error("three");
      await transact(async (tx: Tx) => {
        await nested(tx, async (inner) => void (await store.start([{ starts: [first] }], { tx: inner })));
        const rolledBack = nested(tx, async (inner) => {
          await store.start([{ starts: [second] }], { tx: inner });
          throw new Error("back to the savepoint");
        });
        await expect(rolledBack).rejects.toThrow("back to the savepoint");
        await store.start([{ starts: [third] }], { tx });
      });
      expect(await Promise.all(ids.map(({ id }) => isThere(store, id)))).toEqual([true, false, true]);
    }
  });

  it("passes on an error of the library's own statement, and recognizes a conflict in it", async () => {
    const { orm, store } = connect();
    await control.query(`insert into "${schema}".paid values ('taken') on conflict do nothing`);
    const raise = `do $$ begin raise exception 'no' using errcode = '40001'; end $$`;
    for (const transact of [store.transaction, orm.begin]) {
      const duplicate = transact((tx: Tx) => orm.execute(tx, `insert into "${schema}".paid values ('taken')`));
      const error = await duplicate.catch((thrown: unknown) => thrown);
      expect(isChainwrightError(error)).toBe(false);
      expect(store.isConflict(error)).toBe(false);
      const conflict = transact((tx: Tx) => orm.execute(tx, raise));
      expect(store.isConflict(await conflict.catch((thrown: unknown) => thrown))).toBe(true);
    }
  });

  it("reports a lost connection as store-unavailable", async () => {
    const { orm, store } = connect(1);
    const lost = store.transaction(async (tx) => {
      const [row] = await orm.rows(tx, "select pg_backend_pid()::int as pid");
      await control.query("select pg_terminate_backend($1)", Object.values(row ?? {}));
      await control.query("select pg_sleep(0.1)");
    });
    await expect(lost).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await isThere(store, crypto.randomUUID())).toBe(false);
  });

  it("rejects the statement that runs and later ones, if a connection is lost", async () => {
    const { orm, store } = connect(1);
    const lost = store.transaction(async (tx) => {
      const [row] = await orm.rows(tx, "select pg_backend_pid()::int as pid");
      const running = Promise.allSettled([orm.execute(tx, "select pg_sleep(30)")]);
      await control.query("select pg_terminate_backend($1)", Object.values(row ?? {}));
      expect(await running).toMatchObject([{ status: "rejected" }]);
      await control.query("select pg_sleep(0.1)");
      await expect(orm.rows(tx, "select 1")).rejects.toBeInstanceOf(Error);
    });
    await expect(lost).rejects.toBeInstanceOf(Error);
  });

  it("refuses a tx that is none of the library's transactions, in words", async () => {
    const { store } = connect();
    for (const wrong of [{}, control, "tx", 5, () => undefined]) {
      const started = store.start([{ starts: [job("a")] }], { tx: wrong as Tx });
      await expect(started).rejects.toMatchObject({
        code: "invalid-input",
        message: expect.stringMatching(/^tx must be a transaction of \w+; got .*: pass the tx that/) as string,
      });
    }
  });
}
