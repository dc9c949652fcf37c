import { randomUUID } from "node:crypto";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

const untold = { onHints() {}, onLost() {}, onRestored() {} };

describe("the Redis adapter", () => {
  it("refuses an empty prefix", () => {
    const driver = { publish: async () => {}, subscribe: async () => ({ close: async () => {} }) };
    expect(() => createRedisNotifyAdapter({ driver, channelPrefix: "" })).toThrow("channelPrefix");
  });
});

describe.skipIf(url === undefined).each([
  ["node-redis", openNodeRedis],
  ["ioredis", openIoRedis],
] as const)("the Redis adapter on %s", (_name, open) => {
  it("leaves the client open, which is the application's, and no connection of its own", async () => {
    const name = randomUUID();
    const client = await open(url ?? "", name);
    const adapter = createRedisNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.subscribe(untold);
    await adapter.close();
    const connections = async () => String(await client.send("CLIENT", "LIST")).split(name).length - 1;
    await expect.poll(connections).toBe(1);
    await client.close();
  });

  it("notices that it may not listen any more, and listens again once it may", { timeout: 30_000 }, async () => {
    const user = `u-${randomUUID()}`;
    const admin = await open(url ?? "", "admin");
    const allow = (...rules: string[]) => admin.send("ACL", "SETUSER", user, "on", ">secret", "+@all", "~*", ...rules);
    await allow("allchannels");
    const restricted = new URL(url ?? "");
    restricted.username = user;
    restricted.password = "secret";
    const client = await open(restricted.href, user);
    const adapter = createRedisNotifyAdapter({ driver: client.driver, channelPrefix: user });
    const lost = Promise.withResolvers<void>();
    const restored = Promise.withResolvers<void>();
    await adapter.subscribe({ onHints() {}, onLost: () => lost.resolve(), onRestored: restored.resolve });

    await allow("resetchannels");
    await lost.promise;
    await expect(adapter.subscribe(untold)).rejects.toThrow("being opened again");
    await expect(adapter.publish([{ kind: "ended", chainId: "c" }])).rejects.toThrow("NOPERM");
    await allow("allchannels");
    await restored.promise;

    await adapter.close();
    await client.close();
    await admin.send("ACL", "DELUSER", user);
    await admin.close();
  });
});
