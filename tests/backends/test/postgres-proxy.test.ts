import { Client } from "pg";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { startPostgresProxy } from "../src/postgres-proxy.ts";
import type { Fate, Network, PassingMessage } from "../src/postgres-proxy.ts";
import { findBackend } from "../src/vitest.ts";

/** The errors of `pg` for a broken connection. */
const broken = /terminated|ECONNRESET|EPIPE/;
const url = await findBackend("postgres");

describe.skipIf(url === undefined)("a network between a client and Postgres", () => {
  const table = `proxy_${process.pid}`;

  async function connectTo(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  /** Connects a client whose messages pass until `strike` is called; after that, the argument of `strike` decides their fates. */
  async function connectOver(network: Omit<Network, "fateOf"> = {}) {
    let fateOf: (message: PassingMessage) => Fate = () => "pass";
    const proxy = await startPostgresProxy(url ?? "", { ...network, fateOf: (message) => fateOf(message) });
    onTestFinished(() => proxy.close());
    const client = await connectTo(proxy.url);
    return { client, proxy, strike: (next: typeof fateOf) => void (fateOf = next) };
  }

  /** Returns the rows of the table, after waiting until no transaction writes to it. */
  async function rows(): Promise<number[]> {
    const client = await connectTo(url ?? "");
    await client.query("begin");
    await client.query(`lock table ${table} in exclusive mode`);
    const found = await client.query<{ n: number }>(`select n from ${table} order by n`);
    await client.end();
    return found.rows.map(({ n }) => n);
  }

  const withTable = async () => {
    const client = await connectTo(url ?? "");
    await client.query(`create table ${table} (n integer)`);
    await client.end();
  };
  afterEach(async () => {
    const client = await connectTo(url ?? "");
    await client.query(`drop table if exists ${table}`);
    await client.end();
  });

  const insert = (client: Client, n: number) => client.query(`insert into ${table} values ($1)`, [n]);

  it("passes messages of any size on unchanged", async () => {
    const { client } = await connectOver();
    const long = "x".repeat(1_000_000);
    const { rows: received } = await client.query<{ long: string }>("select $1::text as long", [long]);
    expect(received[0]?.long).toBe(long);
    await client.end();
  });

  it("refuses encryption", async () => {
    const { proxy } = await connectOver();
    const client = new Client({ connectionString: proxy.url, ssl: true });
    await expect(client.connect()).rejects.toThrow("does not support SSL");
  });

  it("cuts a connection before a commit, so that the commit does not arrive", async () => {
    await withTable();
    const { client, strike } = await connectOver();
    await client.query("begin");
    await insert(client, 1);
    strike(({ endsExchange }) => (endsExchange ? "cut-before" : "pass"));
    await expect(client.query("commit")).rejects.toThrow(broken);
    expect(await rows()).toEqual([]);
  });

  it("cuts a connection after a message: the message arrives, and its reply does not", async () => {
    await withTable();
    const { client, strike } = await connectOver();
    strike(({ endsExchange }) => (endsExchange ? "cut-after" : "pass"));
    await expect(insert(client, 1)).rejects.toThrow(broken);
    const watcher = await connectTo(url ?? "");
    await expect
      .poll(async () => (await watcher.query(`select n from ${table}`)).rowCount, { timeout: 30_000 })
      .toBe(1);
    await watcher.end();
  });

  it.each([
    { name: "a commit", before: ["begin", `insert into ${table} values (1)`], last: "commit", committed: true },
    { name: "a statement by itself", before: [], last: `insert into ${table} values (1)`, committed: true },
    {
      name: "a statement in a transaction",
      before: ["begin"],
      last: `insert into ${table} values (1)`,
      committed: false,
    },
    {
      name: "a statement that fails",
      before: [`insert into ${table} values (1)`],
      last: "select 1 / 0",
      committed: false,
    },
  ])("loses the reply to $name after the server has executed it", async ({ before, last, committed }) => {
    await withTable();
    const reported: boolean[] = [];
    const { client, strike } = await connectOver({ onReplyLost: (had) => void reported.push(had) });
    for (const statement of before) await client.query(statement);
    strike(({ endsExchange }) => (endsExchange ? "lose-reply" : "pass"));
    await expect(client.query(last)).rejects.toThrow(broken);
    expect(reported).toEqual([committed]);
    expect(await rows()).toEqual(before.includes("begin") && !committed ? [] : [1]);
  });

  it("loses a connection: each end notices after the given time, and the server keeps the locks until then", async () => {
    await withTable();
    const { client, strike } = await connectOver({ lostForMs: { client: 10, server: 20 } });
    await client.query("begin");
    await client.query(`lock table ${table}`);
    strike(() => "lose");
    await expect(insert(client, 1)).rejects.toThrow(broken);
    // Waits for the lock.
    expect(await rows()).toEqual([]);
  });

  it("delays messages without changing their order", async () => {
    const { client, strike } = await connectOver();
    let delayMs = 8;
    strike(() => ({ delayMs: (delayMs = Math.max(0, delayMs - 1)) }));
    const { rows: received } = await client.query<{ n: number }>("select generate_series(1, 3) as n");
    expect(received.map(({ n }) => n)).toEqual([1, 2, 3]);
    await client.end();
  });
});
