import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { Pool } from "pg";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

// What someone reads who makes a mistake with Postgres that is usual in the first week.

const url = await findBackend("postgres");
const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: string; output: null } }>();
const mail = { typeName: "mail.send", input: "ada" } as const;

function openPool(connectionString = url): Pool {
  const pool = new Pool({ connectionString, max: 3 });
  onTestFinished(async () => {
    if (!pool.ended) await pool.end();
  });
  return pool;
}

describe.skipIf(url === undefined)("on Postgres", { timeout: 30_000 }, () => {
  const schema = `first week; ${process.pid}`;

  const setUp = async (pool = openPool()) => {
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await stateAdapter.migrate();
    const client = createClient({ stateAdapter, jobTypes, observers: [] });
    return { pool, stateAdapter, client };
  };

  afterAll(async () => {
    const pool = new Pool({ connectionString: url });
    await pool.query(`drop schema if exists "${schema}" cascade`);
    await pool.end();
  });

  it("a store that was not migrated, as with a misspelt schema, says what to call and what is missing", async () => {
    const stateAdapter = createPostgresStateAdapter({ driver: pg(openPool()), schema: "chainwrihgt" });
    const client = createClient({ stateAdapter, jobTypes, observers: [] });
    await expect(client.startChain(mail)).rejects.toMatchObject({
      code: "not-migrated",
      message:
        "the schema lacks what this version needs: call migrate() of the state adapter once, with a role that may create tables " +
        '(relation "chainwrihgt.meta" does not exist)',
    });
  });

  it("a server that cannot be reached is named with the reason of the connection", async () => {
    const stateAdapter = createPostgresStateAdapter({ driver: pg(openPool("postgres://postgres@127.0.0.1:1/none")) });
    const client = createClient({ stateAdapter, jobTypes, observers: [] });
    const message = "Postgres cannot be reached or does not accept the call now (connect ECONNREFUSED 127.0.0.1:1)";
    await expect(stateAdapter.migrate()).rejects.toThrow(message);
    await expect(client.startChain(mail)).rejects.toMatchObject({ code: "store-unavailable", message });
  });

  it("a name of a schema is quoted, whatever its characters, and is at most 63 bytes long", async () => {
    const { client } = await setUp();
    await expect(client.startChain(mail)).resolves.toMatchObject({ status: "active" });
    expect(() => createPostgresStateAdapter({ driver: pg(openPool()), schema: "s".repeat(64) })).toThrow(
      "schema must be a name of 1 to 63 bytes of UTF-8 without NUL;",
    );
  });

  it("a tx is refused after its end", async () => {
    const { client } = await setUp();
    const tx = await client.transaction(async (own) => own);
    await expect(client.startChain({ ...mail, tx })).rejects.toThrow(
      "this transaction has ended; its tx cannot be used any more",
    );
  });

  it("a Pool as tx, and a connection without a transaction, are refused, and start nothing", async () => {
    const { pool, client } = await setUp();
    const before = (await client.listChains()).items.length;
    const connection = await pool.connect();
    for (const tx of [pool, connection]) {
      await expect(client.startChain({ ...mail, tx: tx as typeof connection })).rejects.toThrow(
        "tx has no open transaction: it has ended, or none was begun on it, as on a Pool;",
      );
    }
    connection.release();
    expect((await client.listChains()).items).toHaveLength(before);
  });

  it("a callback that never ends fails its attempt and gives its connection back, so that pool.end() ends", async () => {
    const { pool, stateAdapter, client } = await setUp();
    const processors = createProcessors({
      client,
      jobTypes,
      processors: {
        "mail.send": {
          timeoutMs: 100,
          retry: { maxAttempts: 1 },
          handler: ({ complete }) =>
            complete(async ({ tx }) => {
              await tx.query("select 1");
              return new Promise(() => undefined);
            }),
        },
      },
    });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    await expect(client.awaitChain(await client.startChain(mail))).rejects.toThrow("has not ended within 100 ms");
    await worker.stop();
    await client.close();
    await stateAdapter.close();
    await pool.end();
  });

  it.each([
    ["pool", "worker", "client", "store"],
    ["store", "worker", "client", "pool"],
    ["client", "pool", "store", "worker"],
  ] as const)("shutting down in the order %s, %s, %s, %s reports nothing", async (...order) => {
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => told.mockRestore());
    const { pool, stateAdapter } = await setUp();
    const client = createClient({ stateAdapter, jobTypes });
    const processors = createProcessors({ client, jobTypes, processors: { "mail.send": async () => null } });
    const worker = createWorker({ client, processors: [processors] });
    await worker.start();
    await client.awaitChain(await client.startChain(mail));
    const end = {
      pool: () => pool.end(),
      worker: () => worker.stop(),
      client: () => client.close(),
      store: () => stateAdapter.close(),
    };
    for (const part of order) await end[part]();
    expect(told).not.toHaveBeenCalled();
  });
});
