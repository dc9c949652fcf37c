import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import createKnex from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import postgres from "postgres";
import { isChainwrightError } from "chainwright";
import { expect, it } from "vitest";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "../src/index.ts";
import { drizzleDriver } from "../src/orms/drizzle.ts";
import { knexDriver } from "../src/orms/knex.ts";
import { kyselyDriver } from "../src/orms/kysely.ts";
import { prismaDriver } from "../src/orms/prisma.ts";

// None of them connects before it is used.
const pool = new Pool();
const database = new PGlite();
const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
const onMySql = Object.assign(() => undefined, { client: { driverName: "mysql2" } });
const prisma = { $transaction: async () => undefined, $connect: async () => undefined };

it.each([
  ["a Pool of pg", pool, "driver: pg(pool), from @chainwright/postgres/pg"],
  ["a single client of pg", new Client(), "driver: pg(pool), with a Pool"],
  ["a text", "postgres://localhost/shop", "driver: pg(new Pool({ connectionString }))"],
  ["the `sql` of postgres.js", postgres(), "driver: postgresJs(sql), from @chainwright/postgres/postgres-js"],
  ["a PGlite", database, "driver: pglite(db), from @chainwright/postgres/pglite"],
  ["a database of Drizzle", drizzle({ client: pool }), "driver: drizzleDriver(db), from @chainwright/postgres/drizzle"],
  ["a Kysely", kysely, "driver: kyselyDriver(db, pool), from @chainwright/postgres/kysely"],
  ["a Knex", createKnex({ client: "pg" }), "driver: knexDriver(knex), from @chainwright/postgres/knex"],
  ["a PrismaClient", prisma, "driver: prismaDriver(prisma, pool), from @chainwright/postgres/prisma"],
  ["a driver for SQLite", { open: () => ({}), openReader: () => ({}) }, "use createSqliteStateAdapter"],
  ["a promise", Promise.resolve({}), "await it"],
  ["undefined", undefined, "pass pg(pool)"],
  ["an object", {}, "pass pg(pool)"],
  ["an object", { query: async () => [] }, "it has no "],
])("both adapters refuse %s as a driver, and say what to write", (got, wrong, advice) => {
  const driver = wrong as never;
  const state = refusalOf(() => createPostgresStateAdapter({ driver }));
  const notify = refusalOf(() => createPostgresNotifyAdapter({ driver }));
  expect(state).toContain(`driver of createPostgresStateAdapter must be a driver; got ${got}: `);
  expect(notify).toContain(`driver of createPostgresNotifyAdapter must be a driver; got ${got}: `);
  expect([state.includes(advice), notify.includes(advice)]).toEqual([true, true]);
});

it("the drivers of ORMs refuse what is not the ORM, or not its client, and say what to write", () => {
  expect(() => drizzleDriver(pool as never)).toThrow(
    /^db must be a database of Drizzle; got a BoundPool: pass what drizzle/,
  );
  expect(() => drizzleDriver(drizzle({ client: new Client() }))).toThrow(
    /^the client of Drizzle's database must be a Pool of pg, .* or a PGlite; got a Client: use one of them/,
  );
  expect(() => kyselyDriver(pool as never, pool)).toThrow(
    /^db must be a Kysely; got a BoundPool: write kyselyDriver\(db/,
  );
  expect(() => kyselyDriver(kysely, "postgres://" as never)).toThrow(/^client must be a Pool of pg/);
  expect(() => knexDriver(pool as never)).toThrow(/^knex must be a Knex; got a BoundPool: pass what knex/);
  expect(() => knexDriver(onMySql as never)).toThrow(/^knex must use the client "pg"; got "mysql2"/);
  expect(() => prismaDriver({} as never, pool)).toThrow(
    /^prisma must be a PrismaClient; got an object: write prismaDriver/,
  );
  expect(() => prismaDriver(prisma as never, kysely as never)).toThrow(/^pool must be a Pool of pg; got a Kysely/);
});

function refusalOf(create: () => unknown): string {
  try {
    create();
  } catch (error) {
    if (isChainwrightError(error, "invalid-input")) return error.message;
    throw error;
  }
  return "accepted";
}
