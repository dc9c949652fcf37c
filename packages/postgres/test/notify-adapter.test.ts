import { randomUUID } from "node:crypto";
import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { findBackend } from "@chainwright/backends/vitest";
import type { HintMessage } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { createPostgresNotifyAdapter } from "../src/index.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

const message: HintMessage = { storeId: "s", senderId: "me", hints: [{ kind: "ended", chainId: "c" }] };
const ignoring = { onMessage() {}, onLost() {}, onRestored() {} };
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
  it("leaves the application's pool open when it is closed, and no connection of its own", async () => {
    const name = newName();
    const client = await open(url ?? "", name);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.subscribe(ignoring);
    await adapter.close();
    const others = "select 1 from pg_stat_activity where application_name = $1 and query like 'listen %'";
    await expect.poll(async () => await client.query(others, [name])).toHaveLength(0);
    await client.close();
  });

  it("keeps the subscription while every connection of the pool is in use", { timeout: 30_000 }, async () => {
    const name = newName();
    const client = await open(url ?? "", name, 1);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    const heard: unknown[] = [];
    await adapter.subscribe({
      onMessage: ({ hints }) => void heard.push(...hints),
      onLost: (error) => void heard.push(error),
      onRestored: () => {},
    });
    // Longer than it takes to notice that a connection is dead.
    const taken = client.query("select pg_sleep(7)");
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "timeout" });
    await taken;
    expect(heard).toEqual([{ kind: "ended", chainId: "c" }]);
    await adapter.close();
    await client.close();
  });

  it("keeps listening on a server that ends idle sessions", { timeout: 30_000 }, async () => {
    const name = newName();
    const admin = await open(url ?? "", name);
    const role = `r_${name}`;
    await admin.query(`create role ${role} login superuser password 'x'`);
    await admin.query(`alter role ${role} set idle_session_timeout = 300`);
    const restricted = new URL(url ?? "");
    [restricted.username, restricted.password] = [role, "x"];
    const client = await open(restricted.href, name);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    const lost: unknown[] = [];
    await adapter.subscribe({ ...ignoring, onLost: (error) => void lost.push(error) });
    // Other idle sessions end meanwhile.
    const victim = await open(restricted.href, `victim_${name}`);
    await victim.query("select 1");
    const sessions = "select 1 from pg_stat_activity where application_name = $1";
    await expect.poll(() => admin.query(sessions, [`victim_${name}`]), { timeout: 10_000 }).toHaveLength(0);
    await expect.poll(() => admin.query(`${sessions} and query like 'listen %'`, [name])).toHaveLength(1);
    expect(lost).toEqual([]);
    await adapter.close();
    for (const each of [client, victim]) await each.close();
    await admin.query(`drop role ${role}`);
    await admin.close();
  });

  it("does not change the durability of the application's own commits", async () => {
    const name = newName();
    const client = await open(url ?? "", name, 1);
    const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.publish(message);
    // The adapter's own commits do not wait for the disk. The connection must not keep that setting.
    expect(await client.query("show synchronous_commit")).toMatchObject([{ synchronous_commit: "on" }]);
    await adapter.close();
    await client.close();
  });

  describe.skipIf(!hasPgBouncer())("behind PgBouncer", () => {
    it("refuses to subscribe in transaction mode, and says what to do", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "transaction");
      const client = await open(bouncer.url, newName());
      const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix: newName() });
      await expect(adapter.subscribe(ignoring)).rejects.toThrow("direct connections");
      await adapter.close();
      await client.close();
      await bouncer.stop();
    });

    it("publishes through PgBouncer to listeners with direct connections", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "transaction");
      const channelPrefix = newName();
      const [pooled, direct] = [await open(bouncer.url, "pooled"), await open(url ?? "", "direct")];
      const publisher = createPostgresNotifyAdapter({ driver: pooled.driver, channelPrefix });
      const listener = createPostgresNotifyAdapter({ driver: direct.driver, channelPrefix });
      const heard = Promise.withResolvers<unknown>();
      await listener.subscribe({ ...ignoring, onMessage: heard.resolve });
      await publisher.publish(message);
      expect(await heard.promise).toEqual(message);
      for (const each of [publisher, listener, pooled, direct]) await each.close();
      await bouncer.stop();
    });

    it("listens in session mode", { timeout: 30_000 }, async () => {
      const bouncer = await startPgBouncer(url ?? "", "session");
      const channelPrefix = newName();
      const client = await open(bouncer.url, "session");
      const adapter = createPostgresNotifyAdapter({ driver: client.driver, channelPrefix });
      await adapter.subscribe(ignoring);
      await adapter.close();
      await client.close();
      await bouncer.stop();
    });
  });
});
