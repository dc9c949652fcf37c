import { findBackend } from "@chainwright/backends/vitest";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
} from "chainwright";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresStateAdapter } from "../src/index.ts";
import {
  openDrizzle,
  openDrizzleOnPostgresJs,
  openKnex,
  openKysely,
  openKyselyOnPostgresJs,
  type OpenOrm,
  type Orm,
} from "./orm-clients.ts";
import { openPrisma } from "./prisma-client.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("tx of another library", { timeout: 30_000 }, () => {
  describe("Kysely", () => {
    suite(openKysely, "kysely");
  });
  describe("Kysely on postgres.js", () => {
    suite(openKyselyOnPostgresJs, "kysely on postgres.js");
  });
  describe("Drizzle on pg", () => {
    suite(openDrizzle, "drizzle");
  });
  describe("Drizzle on postgres.js", () => {
    suite(openDrizzleOnPostgresJs, "drizzle on postgres.js");
  });
  describe("Knex", () => {
    suite(openKnex, "knex");
  });
  describe("Prisma", () => {
    suite(openPrisma, "prisma");
  });
});

type Stock = { stock: { entry: true; input: string; output: string } };
const stockTypes = defineJobTypes<Stock>();
const orderTypes = defineJobTypes<
  {
    order: { entry: true; input: string; output: string; continueWith: "approval" };
    approval: { input: null; output: string };
    ship: { entry: true; input: string; output: string; blockers: ["stock"] };
  },
  Stock
>();
const jobTypes = [stockTypes, orderTypes] as const;

function suite<Tx>(open: OpenOrm<Tx>, name: string): void {
  const schema = `${name} ${process.pid}`;
  let control: Client;
  let orm: Orm<Tx>;

  beforeAll(async () => {
    control = new Client({ connectionString: url });
    await control.connect();
    orm = open(url ?? "");
    await createPostgresStateAdapter({ driver: orm.driver, schema }).migrate();
    await control.query(`create table "${schema}".paid (id text not null)`);
  }, 30_000);

  afterAll(async () => {
    await orm.end();
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  const connect = () => {
    const stateAdapter = createPostgresStateAdapter({ driver: orm.driver, schema });
    const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes });
    return { stateAdapter, client };
  };
  const pay = (tx: Tx, id: string) => orm.execute(tx, `insert into "${schema}".paid values ('${id}')`);
  const paid = async (id: string) => {
    const { rows } = await control.query(`select id from "${schema}".paid where id = $1`, [id]);
    return rows.length;
  };

  it("that the application opened: chains begin with its commit, and committed(tx) wakes the workers", async () => {
    const { client } = connect();
    const processors = createProcessors({
      client,
      jobTypes: stockTypes,
      processors: { stock: async ({ job }) => `reserved ${job.input}` },
    });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    const { chain, tx } = await orm.begin(async (handle) => {
      await pay(handle, "committed");
      const started = await client.startChain({ tx: handle, typeName: "stock", input: "a" });
      expect(await client.getChain({ id: started.id })).toBeUndefined();
      return { chain: started, tx: handle };
    });
    client.committed(tx);
    expect(await client.awaitChain(chain)).toMatchObject({ output: "reserved a" });
    expect(await paid("committed")).toBe(1);
    await worker.stop();
    await client.close();
  });

  it("that the application rolled back: no chain has begun", async () => {
    const { client } = connect();
    const { promise: started, resolve } = Promise.withResolvers<string>();
    const failed = orm.begin(async (tx) => {
      await pay(tx, "rolled back");
      resolve((await client.startChain({ tx, typeName: "stock", input: "b" })).id);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await client.getChain({ id: await started })).toBeUndefined();
    expect(await paid("rolled back")).toBe(0);
    await client.close();
  });

  it("is what handlers get: their writes and the completion commit together or not at all", async () => {
    const { client } = connect();
    const processors = createProcessors({
      client,
      jobTypes: stockTypes,
      processors: {
        stock: {
          retry: { maxAttempts: 2, backoff: { initialMs: 0, multiplier: 1, maxMs: 0, jitter: 0 } },
          handler: async ({ job, complete }) =>
            complete(async ({ tx }) => {
              await pay(tx, `attempt ${job.attempt}`);
              if (job.attempt === 1) throw new Error("again");
              return "done";
            }),
        },
      },
    });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    const chain = await client.startChain({ typeName: "stock", input: "c" });
    expect(await client.awaitChain(chain)).toMatchObject({ output: "done" });
    expect([await paid("attempt 1"), await paid("attempt 2")]).toEqual([0, 1]);
    await worker.stop();
    await client.close();
  });

  it("works with every call", async () => {
    const { client } = connect();
    const written = await client.transaction(async (tx) => {
      const later = { afterMs: 1_000_000 };
      const order = await client.startChain({ tx, typeName: "order", input: "\u{1f4e6} {}", schedule: later });
      await client.triggerJob({ tx, id: firstJobIdOf(order.id) });
      const next = { typeName: "approval", input: null, schedule: later } as const;
      await client.continueChain({ tx, id: order.id, typeName: "order", with: next });
      const { items: steps } = await client.listChainJobs({ tx, id: order.id });
      const approval = steps[1]?.id ?? "";
      const stock = { typeName: "stock", input: "s", deduplication: { key: name } } as const;
      const first = await client.startChain({ tx, ...stock });
      const again = await client.startChain({ tx, ...stock });
      expect(again).toMatchObject({ id: first.id, deduplicated: true });
      const ship = await client.startChain({ tx, typeName: "ship", input: "x", blockers: [first] });
      const waiting = await client.explainChain({ tx, id: ship.id });
      await client.cancelChain({ tx, id: first.id, reason: "sold out" });
      return { order: order.id, approval, ship: ship.id, waiting };
    });
    const { order: orderId, approval: approvalId, ship: shipId } = written;
    expect(written.waiting).toMatchObject({ status: "blocked" });
    await client.transaction(async (tx) => {
      expect((await client.listChainJobs({ tx, id: orderId })).items[0]).toMatchObject({
        input: "\u{1f4e6} {}",
        status: "completed",
      });
      expect(await client.getJob({ tx, id: approvalId })).toMatchObject({ status: "scheduled", attempt: 0 });
      expect(await client.getChain({ tx, id: shipId })).toMatchObject({ status: "failed" });
      const failed = await client.listChains({ tx, status: "failed", typeName: "ship" });
      expect(failed.items).toMatchObject([{ id: shipId }]);
      expect((await client.listJobs({ tx, typeName: "ship" })).items).toMatchObject([{ id: shipId }]);
      const { items: blockers } = await client.listJobBlockers({ tx, id: firstJobIdOf(shipId) });
      const id = blockers[0]?.id ?? "";
      await client.retryChain({ tx, id });
      expect((await client.listBlockedJobs({ tx, id })).items).toMatchObject([{ id: shipId }]);
      await client.completeChain({ tx, id: orderId, typeName: "approval", output: "yes" });
      await client.deleteChain({ tx, id: orderId });
      await client.deleteChain({ tx, id, cascade: true });
      expect(await client.getChain({ tx, id: orderId })).toBeUndefined();
      expect(await client.countJobs({ tx })).toBeDefined();
      expect(await client.listWorkers({ tx })).toEqual([]);
    });
    await client.close();
  });

  it("in which a statement failed is not reported as committed", async () => {
    const { client } = connect();
    const { promise: started, resolve } = Promise.withResolvers<string>();
    const swallowed = client.transaction(async (tx) => {
      resolve((await client.startChain({ tx, typeName: "stock", input: "d" })).id);
      await orm.execute(tx, "select 1 / 0").then(
        () => expect.unreachable(),
        () => undefined,
      );
    });
    await expect(swallowed).rejects.toBeInstanceOf(Error);
    expect(await client.getChain({ id: await started })).toBeUndefined();
    await client.close();
  });

  it("that conflicted with another transaction is reported differently from other failures", async () => {
    const { stateAdapter } = connect();
    const raise = (state: string) =>
      stateAdapter
        .transaction((tx) => orm.execute(tx, `do $$ begin raise exception 'x' using errcode = '${state}'; end $$`))
        .catch((error: unknown) => stateAdapter.isConflict(error));
    expect([await raise("40001"), await raise("40P01"), await raise("23505")]).toEqual([true, true, false]);
    await stateAdapter.close();
  });
}

/** The first job of a chain has the id of the chain. */
function firstJobIdOf(chainId: string): string {
  return chainId;
}
