import Database from "better-sqlite3";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type StateAdapter,
} from "chainwright";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import { drizzleDriver } from "../src/orms/drizzle.ts";
import { kyselyDriver } from "../src/orms/kysely.ts";
import { databasePath, jobStart } from "./store.ts";

const jobTypes = defineJobTypes<{ pay: { entry: true; input: { order: string }; output: { paid: boolean } } }>();
const orders = sqliteTable("orders", { id: text("id").notNull(), paidBy: text("paid_by") });

interface Tables {
  orders: { id: string; paidBy: string | null };
}

async function migrated<Tx>(adapter: StateAdapter<Tx>): Promise<StateAdapter<Tx>> {
  onTestFinished(() => adapter.close());
  await adapter.migrate();
  return adapter;
}

/** A database of the application, with a table and the settings that the adapter expects. */
function openDatabase(path = databasePath()) {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = off");
  database.exec("create table if not exists orders (id text not null, paid_by text)");
  return database;
}

describe("Drizzle's transaction", () => {
  const open = async () => {
    const path = databasePath();
    const db = drizzle({ client: openDatabase(path) });
    const driver = drizzleDriver(() => drizzle(path));
    return { db, store: await migrated(createSqliteStateAdapter({ driver, durability: "off" })) };
  };

  it("is what client.transaction and handlers get, and its writes commit with the chains and steps", async () => {
    const { db, store } = await open();
    const client = createClient({ stateAdapter: store, notifyAdapter: createInProcessNotifyAdapter(), jobTypes });
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        pay: {
          retry: { maxAttempts: 2, backoff: { initialMs: 0, multiplier: 1, maxMs: 0, jitter: 0 } },
          handler: async ({ job, complete }) =>
            complete(async ({ tx }) => {
              const paidBy = `attempt ${job.attempt}`;
              tx.update(orders).set({ paidBy }).where(eq(orders.id, job.input.order)).run();
              if (job.attempt === 1) throw new Error("again");
              return { paid: true };
            }),
        },
      },
    });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    const chain = await client.transaction(async (tx) => {
      tx.insert(orders).values({ id: "A-1" }).run();
      return client.startChain({ tx, typeName: "pay", input: { order: "A-1" } });
    });
    expect(await client.awaitChain(chain)).toMatchObject({ output: { paid: true } });
    expect(db.select().from(orders).all()).toEqual([{ id: "A-1", paidBy: "attempt 2" }]);
    await worker.stop();
    await client.close();
  });

  it("sees the chain, and is rolled back with it", async () => {
    const { db, store } = await open();
    const start = jobStart();
    const undone = store.transaction(async (tx) => {
      tx.insert(orders).values({ id: "A-2" }).run();
      await store.start([{ starts: [start] }], { tx });
      expect(tx.all(`select status from chainwright_job where id = '${start.id}'`)).toHaveLength(1);
      tx.rollback();
    });
    await expect(undone).rejects.toThrow("Rollback");
    expect(db.select().from(orders).all()).toEqual([]);
    expect(await store.getChains([start.id], {})).toEqual([undefined]);
  });

  it("has nested transactions of Drizzle", async () => {
    const { db, store } = await open();
    await store.transaction(async (tx) => {
      tx.transaction((inner) => inner.insert(orders).values({ id: "kept" }).run());
      expect(() =>
        tx.transaction((inner) => {
          inner.insert(orders).values({ id: "undone" }).run();
          throw new Error("back");
        }),
      ).toThrow("back");
    });
    expect(db.select({ id: orders.id }).from(orders).all()).toEqual([{ id: "kept" }]);
  });

  it("is closed after its end, for Drizzle's own statements as well", async () => {
    const { store } = await open();
    const kept = await store.transaction(async (tx) => tx);
    expect(() => kept.insert(orders)).toThrow(expect.objectContaining({ code: "closed" }));
    await expect(store.start([{ starts: [jobStart()] }], { tx: kept })).rejects.toMatchObject({ code: "closed" });
  });

  it("recognizes a conflict in an error that Drizzle has wrapped", async () => {
    const { db, store } = await open();
    const writer = openDatabase(db.$client.name);
    writer.exec("begin immediate");
    db.$client.pragma("busy_timeout = 0");
    const busy = await Promise.resolve()
      .then(() => db.run("insert into orders (id) values ('x')"))
      .catch((error: unknown) => error);
    writer.exec("rollback");
    expect(store.isConflict(busy)).toBe(true);
  });

  it("uses the one connection of a database that the application opened, also in memory", async () => {
    const db = drizzle({ client: openDatabase(":memory:") });
    const store = await migrated(createSqliteStateAdapter({ driver: drizzleDriver(db) }));
    const start = jobStart();
    await store.transaction(async (tx) => {
      tx.insert(orders).values({ id: "A-3" }).run();
      await store.start([{ starts: [start] }], { tx });
    });
    expect(db.select({ id: orders.id }).from(orders).all()).toEqual([{ id: "A-3" }]);
    expect(await store.getChains([start.id], {})).toMatchObject([{ id: start.id }]);
  });

  it("works on connections in memory that the driver opens itself", async () => {
    const driver = drizzleDriver(() => drizzle(":memory:"));
    const store = await migrated(createSqliteStateAdapter({ driver }));
    const start = jobStart();
    await store.transaction((tx) => store.start([{ starts: [start] }], { tx }));
    expect(await store.getChains([start.id], {})).toMatchObject([{ id: start.id }]);
  });
});

describe("Kysely's transaction", () => {
  const open = async (own: "own connections" | "the application's connection" = "own connections") => {
    const path = databasePath();
    const database = openDatabase(path);
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] });
    const driver = kyselyDriver(db, own === "own connections" ? () => new Database(path) : database);
    return { db, store: await migrated(createSqliteStateAdapter({ driver, durability: "off" })) };
  };
  const ids = (db: Kysely<Tables>) => db.selectFrom("orders").selectAll().orderBy("id").execute();

  it.each(["own connections", "the application's connection"] as const)(
    "commits with the chain, on %s",
    async (own) => {
      const { db, store } = await open(own);
      const start = jobStart();
      await store.transaction(async (tx) => {
        const inserted = await tx.insertInto("orders").values({ id: "A-1", paidBy: null }).executeTakeFirst();
        expect(inserted.numInsertedOrUpdatedRows).toBe(1n);
        await tx.updateTable("orders").set({ paidBy: "me" }).where("id", "=", "A-1").execute();
        await store.start([{ starts: [start] }], { tx });
        expect(tx.isTransaction).toBe(true);
      });
      expect(await ids(db)).toEqual([{ id: "A-1", paidBy: "me" }]);
      expect(await store.getChains([start.id], {})).toMatchObject([{ id: start.id }]);
    },
  );

  it("is rolled back with the chain, and is closed afterwards", async () => {
    const { db, store } = await open();
    let kept: Parameters<Parameters<typeof store.transaction>[0]>[0] | undefined;
    const undone = store.transaction(async (tx) => {
      kept = tx;
      await tx.insertInto("orders").values({ id: "A-2", paidBy: null }).execute();
      await store.start([{ starts: [jobStart()] }], { tx });
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await ids(db)).toEqual([]);
    expect(() => kept?.selectFrom("orders")).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it("that the application opened on its connection takes chains with it, and is refused after its end", async () => {
    const { db, store } = await open("the application's connection");
    const [kept, undone, late] = [jobStart(), jobStart(), jobStart()];
    const ended = await db.transaction().execute(async (tx) => {
      await tx.insertInto("orders").values({ id: "A-3", paidBy: null }).execute();
      await store.start([{ starts: [kept] }], { tx });
      return tx;
    });
    const rolledBack = db.transaction().execute(async (tx) => {
      await store.start([{ starts: [undone] }], { tx });
      // The transaction of before does not become this one.
      await expect(store.start([{ starts: [late] }], { tx: ended })).rejects.toMatchObject({ code: "invalid-input" });
      throw new Error("undo");
    });
    await expect(rolledBack).rejects.toThrow("undo");
    const found = await store.getChains([kept.id, undone.id, late.id], {});
    expect(found.map((each) => each?.id)).toEqual([kept.id, undefined, undefined]);
    expect(await ids(db)).toHaveLength(1);
  });

  it("describes tables that it has created itself", async () => {
    const { store } = await open();
    const tables = await store.transaction(async (tx) => {
      await tx.schema.createTable("shelves").addColumn("id", "text").execute();
      return tx.introspection.getTables();
    });
    expect(tables.map(({ name }) => name)).toContain("shelves");
  });

  it("of another Kysely is refused", async () => {
    const { store } = await open("the application's connection");
    const other = new Kysely<Tables>({ dialect: new SqliteDialect({ database: openDatabase() }) });
    await other.transaction().execute(async (tx) => {
      await expect(store.start([{ starts: [jobStart()] }], { tx })).rejects.toMatchObject({ code: "invalid-input" });
    });
  });
});

describe("what is no database of an ORM is refused in words", () => {
  it.each([[undefined], ["shop.db"], [{}], [new Database(":memory:")]])("by drizzleDriver: %s", (wrong) => {
    expect(() => drizzleDriver(wrong as never)).toThrow(/^db must be a database of Drizzle, or a function .*; got /);
  });

  it("by drizzleDriver: a client whose calls are asynchronous", () => {
    const client = { execute: async () => undefined, transaction: async () => undefined };
    const db = { $client: client, session: { client, transaction: () => undefined }, transaction: () => undefined };
    expect(() => drizzleDriver(db as never)).toThrow(/must be a database of better-sqlite3, node:sqlite or libsql/);
  });

  it("by kyselyDriver: a client instead of a Kysely, and something else instead of a client", () => {
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Database(":memory:") }) });
    expect(() => kyselyDriver(new Database(":memory:") as never, new Database(":memory:"))).toThrow(
      /^db must be a Kysely; got a Database: write kyselyDriver\(db, client\)/,
    );
    expect(() => kyselyDriver(db, "shop.db" as never)).toThrow(/^client must be .*; got "shop.db"/);
  });
});
