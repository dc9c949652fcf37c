import { randomUUID } from "node:crypto";
import { startRedis } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { HintMessage } from "chainwright";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { ioRedis } from "../src/drivers/ioredis.ts";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

const message: HintMessage = { storeId: "s", senderId: "me", hints: [{ kind: "ended", chainId: "c" }] };
const untold = { onMessage() {}, onLost() {}, onRestored() {} };

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
    await adapter.subscribe({ onMessage() {}, onLost: () => lost.resolve(), onRestored: restored.resolve });

    await allow("resetchannels");
    await lost.promise;
    await expect(adapter.subscribe(untold)).rejects.toThrow("being opened again");
    await expect(adapter.publish(message)).rejects.toThrow("NOPERM");
    await allow("allchannels");
    await restored.promise;

    await adapter.close();
    await client.close();
    await admin.send("ACL", "DELUSER", user);
    await admin.close();
  });
});

interface Options {
  readonly lazyConnect?: boolean;
  readonly enableOfflineQueue?: boolean;
  readonly retryStrategy?: () => number;
}

describe.skipIf(url === undefined)("an ioredis client", () => {
  const clientOf = (at: string, options: Options = {}) => new Redis(at, options).on("error", () => undefined);

  it("made with lazyConnect and without a queue is connected by the first message", async () => {
    const client = clientOf(url ?? "", { lazyConnect: true, enableOfflineQueue: false });
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await Promise.all([adapter.publish(message), adapter.publish(message)]);
    await adapter.subscribe(untold);
    await adapter.close();
    client.disconnect();
  });

  it("without a queue that is still connecting is waited for", async () => {
    const client = clientOf(url ?? "", { enableOfflineQueue: false });
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await adapter.publish(message);
    client.disconnect();
    await adapter.close();
  });

  it("keeps nothing for later: what is published while it reconnects is refused", { timeout: 30_000 }, async () => {
    const server = await startRedis();
    const channelPrefix = randomUUID();
    const client = clientOf(server.url, { retryStrategy: () => 20 });
    const publisher = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix });
    await publisher.publish(message);
    await server.kill();
    // What was under way just then the client sends again by itself.
    await expect.poll(() => client.status).not.toBe("ready");
    for (let turn = 0; turn < 50; turn += 1) {
      await expect(publisher.publish(message)).rejects.toThrow(/connect|closed/i);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await server.restart();
    const listening = clientOf(server.url);
    const listener = createRedisNotifyAdapter({ driver: ioRedis(listening), channelPrefix });
    const heard: HintMessage["hints"][] = [];
    await listener.subscribe({ ...untold, onMessage: ({ hints }) => void heard.push(hints) });
    const last = { ...message, hints: [{ kind: "look" }] } as const;
    await expect.poll(() => publisher.publish(last).then(() => "sent", String)).toBe("sent");
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    expect(heard).toEqual([last.hints]);
    for (const adapter of [publisher, listener]) await adapter.close();
    for (const each of [client, listening]) each.disconnect();
    await server.stop();
  });

  it("that was ended is reported as gone for good", async () => {
    const client = clientOf(url ?? "");
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await adapter.publish(message);
    await client.quit();
    await expect.poll(() => client.status).toBe("end");
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "closed" });
    await adapter.close();
  });
});
