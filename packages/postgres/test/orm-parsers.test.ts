import { findBackend } from "@chainwright/backends/vitest";
import { Client, types } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, job } from "./jobs.ts";
import { openDrizzle, openKnex, openKysely, type OpenOrm } from "./orm-clients.ts";
import { openPrisma } from "./prisma-client.ts";

const url = await findBackend("postgres");
const schema = `orm parsers ${process.pid}`;

// What an application may do, for all pools of the process.
const { BOOL, INT8, INT4, TEXT, JSON: json, JSONB, TIMESTAMPTZ, UUID } = types.builtins;
for (const oid of [BOOL, INT4, TEXT, json, JSONB, TIMESTAMPTZ, UUID]) types.setTypeParser(oid, (text) => text);

describe.skipIf(url === undefined)("if the application has changed how values are parsed, the driver for", () => {
  const control = new Client({ connectionString: url });
  beforeAll(async () => {
    await control.connect();
    const orm = openKysely(url ?? "");
    await createPostgresStateAdapter({ driver: orm.driver, schema }).migrate();
    await orm.end();
  }, 30_000);
  afterAll(async () => {
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  // First, because Prisma itself cannot read a bigint if its parser returns one.
  it("Prisma reads its rows in a transaction", () => readsRows(openPrisma));
  it("Kysely reads its rows in a transaction", () => readsRowsWithBigints(openKysely));
  it("Drizzle reads its rows in a transaction", () => readsRowsWithBigints(openDrizzle));
  it("Knex reads its rows in a transaction", () => readsRowsWithBigints(openKnex));

  async function readsRowsWithBigints<Tx>(open: OpenOrm<Tx>): Promise<void> {
    types.setTypeParser(INT8, BigInt);
    await readsRows(open);
  }

  async function readsRows<Tx>(open: OpenOrm<Tx>): Promise<void> {
    const orm = open(url ?? "");
    const store = createPostgresStateAdapter({ driver: orm.driver, schema });
    const chain = job("parsed");
    await store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      expect(await store.getChains([chain.id], { tx })).toMatchObject([{ id: chain.id, status: "active" }]);
      expect(await store.getJobs([chain.id], { tx })).toMatchObject([{ id: chain.id, status: "ready", attempt: 0 }]);
    });
    await store.transaction(async (tx) => {
      const { claimed } = await store.exchange({ outcomes: [], claim: claimOf(["parsed"], 1) }, { tx });
      expect(claimed).toMatchObject([{ id: chain.id, attempt: 1, input: chain.input }]);
    });
    await orm.end();
  }
});
