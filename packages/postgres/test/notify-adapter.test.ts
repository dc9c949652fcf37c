import { randomUUID } from "node:crypto";
import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

const untold = { onHints() {}, onLost() {}, onRestored() {} };
const newName = () => `n_${randomUUID().replaceAll("-", "").slice(0, 20)}`;

describe("the Postgres notify adapter", () => {
  it.each(["", "a b", "A", "1a", "a-b", "a".repeat(58)])("refuses %j as a prefix", (channelPrefix) => {
    const driver = { query: () => expect.unreachable(), listen: () => expect.unreachable() };
    expect(() => createPostgresNotifyAdapter({ driver, channelPrefix })).toThrow("channelPrefix");
  });
});

describe.skipIf(url === undefined).concurrent.each([
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const)("the Postgres notify adapter on %s", (_name, open) => {
  it("leaves the pool open, which is the application's, and no connection of its own", async () => {
    const name = newName();
    const client = await open(url ?? "", name);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.subscribe(untold);
    await adapter.close();
    const others = "select 1 from pg_stat_activity where application_name = $1 and query like 'listen %'";
    await expect.poll(async () => await client.query(others, [name])).toHaveLength(0);
    await client.close();
  });

  it("holds the subscription while every connection of the pool is taken", { timeout: 30_000 }, async () => {
    const name = newName();
    const client = await open(url ?? "", name, 1);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    const heard: unknown[] = [];
    await adapter.subscribe({
      onHints: (hints) => void heard.push(...hints),
      onLost: (error) => void heard.push(error),
      onRestored: () => {},
    });
    // Longer than it takes to notice that a connection is dead.
    const taken = client.query("select pg_sleep(7)");
    await expect(adapter.publish([{ kind: "ended", chainId: "c" }])).rejects.toMatchObject({ code: "timeout" });
    await taken;
    expect(heard).toEqual([{ kind: "ended", chainId: "c" }]);
    await adapter.close();
    await client.close();
  });

  it("leaves the durability of the application's own commits as it was", async () => {
    const name = newName();
    const client = await open(url ?? "", name, 1);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.publish([{ kind: "ended", chainId: "c" }]);
    // Its own commits do not wait for the disk; that must not stay with the connection.
    expect(await client.query("show synchronous_commit")).toMatchObject([{ synchronous_commit: "on" }]);
    await adapter.close();
    await client.close();
  });

  describe.skipIf(!hasPgBouncer())("behind PgBouncer", () => {
    it("refuses to subscribe in transaction mode, and says what to do", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "transaction");
      const client = await open(bouncer.url, newName());
      const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: newName() });
      await expect(adapter.subscribe(untold)).rejects.toThrow("direct connections");
      await adapter.close();
      await client.close();
      await bouncer.stop();
    });

    it("publishes through it, for those who listen directly", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "transaction");
      const channelPrefix = newName();
      const [pooled, direct] = [await open(bouncer.url, "pooled"), await open(url ?? "", "direct")];
      const publisher = createPostgresNotifyAdapter({ driver: pooled.driver, channelPrefix });
      const listener = createPostgresNotifyAdapter({ driver: direct.driver, channelPrefix });
      const heard = Promise.withResolvers<unknown>();
      await listener.subscribe({ ...untold, onHints: heard.resolve });
      await publisher.publish([{ kind: "ended", chainId: "c" }]);
      expect(await heard.promise).toEqual([{ kind: "ended", chainId: "c" }]);
      for (const each of [publisher, listener, pooled, direct]) await each.close();
      await bouncer.stop();
    });

    it("listens in session mode", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "session");
      const channelPrefix = newName();
      const client = await open(bouncer.url, "session");
      const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix });
      await adapter.subscribe(untold);
      await adapter.close();
      await client.close();
      await bouncer.stop();
    });
  });
});
