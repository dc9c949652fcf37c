import { findBackend } from "@chainwright/backends/vitest";
import { CamelCasePlugin, Kysely, sql, type Transaction } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import postgres from "postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPostgresStateAdapter } from "../src/index.ts";
import { kyselyDriver } from "../src/orms/kysely.ts";

const url = await findBackend("postgres");

interface Shop {
  stock: { shelfId: number; boughtAt: Date; labels: { color: string } | null };
}

function connect() {
  const client = postgres(url ?? "", { max: 1, onnotice: () => {} });
  onTestFinished(() => client.end({ timeout: 1 }));
  const dialect = new PostgresJSDialect({ postgres: client });
  const db = new Kysely<Shop>({ dialect, plugins: [new CamelCasePlugin()] });
  return { db, store: createPostgresStateAdapter({ driver: kyselyDriver(db, client) }) };
}

/** Uses what a transaction of Kysely offers, and returns all replies. */
async function useAll(tx: Transaction<Shop>) {
  await sql`create temporary table stock (shelf_id int, bought_at timestamptz, labels jsonb) on commit drop`.execute(
    tx,
  );
  const row = { boughtAt: new Date(0), labels: null };
  const inserted = await tx
    .insertInto("stock")
    .values([1, 2, 3].map((shelfId) => ({ ...row, shelfId })))
    .executeTakeFirst();
  const updated = await tx
    .updateTable("stock")
    .set({ labels: JSON.stringify({ color: "red" }) as never })
    .where("shelfId", "<", 3)
    .returning(["shelfId", "labels"])
    .execute();
  const deleted = await tx.deleteFrom("stock").where("shelfId", "=", 3).executeTakeFirst();
  const selected = await tx.selectFrom("stock").selectAll().orderBy("shelfId").execute();
  const streamed: unknown[] = [];
  for await (const each of tx.selectFrom("stock").select("shelfId").orderBy("shelfId").stream(1)) streamed.push(each);
  const tables = await tx.introspection.getSchemas();
  return { inserted, updated, deleted, selected, streamed, schemas: tables.length > 0 };
}

describe.skipIf(url === undefined)("a transaction of the driver for Kysely on postgres.js", () => {
  it("returns what Kysely's own transaction returns", async () => {
    const { db, store } = connect();
    const own = await db.transaction().execute(useAll);
    expect(await store.transaction(useAll)).toEqual(own);
    expect(own).toMatchObject({
      inserted: { numInsertedOrUpdatedRows: 3n },
      deleted: { numDeletedRows: 1n },
      selected: [{ boughtAt: new Date(0) }, { shelfId: 2 }],
      streamed: [{ shelfId: 1 }, { shelfId: 2 }],
    });
  });

  it("cannot be used after its end", async () => {
    const { store } = connect();
    const ended = await store.transaction(async (tx) => ({ tx }));
    await expect(sql`select 1`.execute(ended.tx)).rejects.toMatchObject({ code: "closed" });
  });

  it("is rolled back if a statement failed, even after a rollback to a savepoint, as postgres.js does it", async () => {
    const { store } = connect();
    const failed = store.transaction(async (tx) => {
      await sql`savepoint before`.execute(tx);
      await expect(sql`select 1 / 0`.execute(tx)).rejects.toThrow("division by zero");
      await sql`rollback to savepoint before`.execute(tx);
    });
    await expect(failed).rejects.toThrow("division by zero");
  });

  it("cancels a statement if its signal aborts and that is asked for", async () => {
    const { store } = connect();
    const cancelled = store.transaction(async (tx) => {
      const signal = AbortSignal.timeout(100);
      await sql`select pg_sleep(30)`.execute(tx, { signal, inflightQueryAbortStrategy: "cancel query" });
    });
    await expect(cancelled).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
