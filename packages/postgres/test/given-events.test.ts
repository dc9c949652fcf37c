import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createInProcessNotifyAdapter, defineJobTypes } from "chainwright";
import { recordEvents } from "chainwright/testing";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, it, describe } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

const url = await findBackend("postgres");
const jobTypes = defineJobTypes<{ a: { entry: true; input: number; output: null } }>();

describe.skipIf(url === undefined)("events of transactions on one connection of pg", { timeout: 30_000 }, () => {
  const schema = `given events ${process.pid}`;
  let pool: Pool;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  const open = () => {
    const events = recordEvents();
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    const notifyAdapter = createInProcessNotifyAdapter();
    const client = createClient({ stateAdapter, notifyAdapter, jobTypes, observers: [events.observer] });
    const begun = () => events.all.flatMap((event) => (event.type === "chain-started" ? [event.chainId] : []));
    return { client, begun };
  };

  it.each(["rolledBack is called", "no one reports the rollback"])(
    "that was rolled back are not reported with the next one: %s",
    async (how) => {
      const { client, begun } = open();
      const tx = await pool.connect();
      await tx.query("begin");
      await client.startChain({ tx, typeName: "a", input: 1 });
      await tx.query("rollback");
      if (how === "rolledBack is called") client.rolledBack(tx);
      await tx.query("begin");
      const chain = await client.startChain({ tx, typeName: "a", input: 2 });
      await tx.query("commit");
      client.committed(tx);
      tx.release();
      expect(begun()).toEqual([chain.id]);
      await client.close();
    },
  );

  it("do not accumulate if no one reports the commit", async () => {
    const { client, begun } = open();
    const tx = await pool.connect();
    for (let each = 0; each < 20; each += 1) {
      await tx.query("begin");
      await client.startChains({ tx, items: Array.from({ length: 10 }, () => ({ typeName: "a", input: 1 }) as const) });
      await tx.query("commit");
    }
    client.committed(tx);
    tx.release();
    expect(begun()).toHaveLength(10);
    await client.close();
  });

  it("of one transaction are all reported, even after a rollback to a savepoint", async () => {
    const { client, begun } = open();
    const tx = await pool.connect();
    await tx.query("begin");
    const first = await client.startChain({ tx, typeName: "a", input: 1 });
    await tx.query("savepoint s");
    await tx.query("rollback to savepoint s");
    const second = await client.startChain({ tx, typeName: "a", input: 2 });
    await tx.query("commit");
    client.committed(tx);
    tx.release();
    expect(begun()).toEqual([first.id, second.id]);
    await client.close();
  });
});
