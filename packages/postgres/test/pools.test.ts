import { EventEmitter } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { openPGlite } from "./clients.ts";
import { job } from "./jobs.ts";

/** A server that accepts a connection and reports its shutdown in the same packet. */
async function startDyingServer() {
  const message = (kind: string, ...body: readonly (string | Buffer)[]) => {
    const content = Buffer.concat(body.map((part) => Buffer.from(part)));
    const head = Buffer.alloc(5, kind);
    head.writeInt32BE(content.length + 4, 1);
    return Buffer.concat([head, content]);
  };
  const goodbye = message("E", "SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I"), goodbye])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

it("a server that shuts down while it accepts a connection does not crash the process", async () => {
  const server = await startDyingServer();
  const pool = new Pool({ connectionString: server.url });
  const store = createPostgresStateAdapter({ driver: pg(pool) });
  await expect(store.count({})).rejects.toMatchObject({ code: "store-unavailable" });
  await pool.end();
  await server.close();
});

it("a statement whose reply was lost is not sent again, because it may have been carried out, and its connection is not used again", async () => {
  let sent = 0;
  const released: unknown[] = [];
  const client = Object.assign(new EventEmitter(), {
    query: () => {
      sent += 1;
      return Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    },
    release: (destroy: unknown) => void released.push(destroy),
  });
  const pool = Object.assign(new EventEmitter(), { connect: () => Promise.resolve(client), options: {} });
  const store = createPostgresStateAdapter({ driver: pg(pool) });
  await expect(store.start([{ starts: [job("a")] }], {})).rejects.toMatchObject({ code: "store-unavailable" });
  expect(sent).toBe(1);
  expect(released).toEqual([true]);
});

it("a pool has one listener for its errors, however many drivers use it, and keeps it when one driver is closed", async () => {
  const pool = new Pool({ connectionString: "postgres://user@127.0.0.1:1/none" });
  const stores = Array.from({ length: 20 }, () => createPostgresStateAdapter({ driver: pg(pool) }));
  await stores[0]?.close();
  expect([pool.listenerCount("error"), pool.listenerCount("acquire")]).toEqual([1, 1]);
  await pool.end();
});

describe("the one connection of PGlite", () => {
  it("refuses a call that would wait for the transaction around it, and says why", { timeout: 30_000 }, async () => {
    const client = await openPGlite();
    const { database } = client;
    const store = createPostgresStateAdapter({ driver: pglite(database, { patienceMs: 20 }) });
    await store.migrate();
    const chain = job("a");
    const waiting = store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      await store.getChains([chain.id], {});
    });
    await expect(waiting).rejects.toMatchObject({ code: "invalid-input" });
    expect(await store.getChains([chain.id], {})).toEqual([undefined]);
    await client.end();
  });
});
