import { randomUUID } from "node:crypto";
import { startRedis } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { HintMessage } from "chainwright/adapter";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { ioRedis } from "../src/drivers/ioredis.ts";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { openIoRedis, openNodeRedis } from "./clients.ts";

const url = await findBackend("redis");

const message: HintMessage = { storeId: "s", senderId: "me", hints: [{ kind: "ended", chainId: "c" }] };
const silent = { onMessage() {}, onLost() {}, onRestored() {} };

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
  it("leaves the application's client open, and no connection of its own", async () => {
    const name = randomUUID();
    const client = await open(url ?? "", name);
    const adapter = createRedisNotifyAdapter({ driver: client.driver, channelPrefix: name });
    await adapter.subscribe(silent);
    await adapter.close();
    const connections = async () => String(await client.send("CLIENT", "LIST")).split(name).length - 1;
    await expect.poll(connections).toBe(1);
    await client.close();
  });

  it(
    "notices that its permission to listen was revoked, and listens again once it is granted",
    { timeout: 30_000 },
    async () => {
      const user = `u-${randomUUID()}`;
      const admin = await open(url ?? "", "admin");
      const allow = (...rules: string[]) =>
        admin.send("ACL", "SETUSER", user, "on", ">secret", "+@all", "~*", ...rules);
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
      await expect(adapter.subscribe(silent)).rejects.toThrow("being opened again");
      await expect(adapter.publish(message)).rejects.toThrow("NOPERM");
      await allow("allchannels");
      await restored.promise;

      await adapter.close();
      await client.close();
      await admin.send("ACL", "DELUSER", user);
      await admin.close();
    },
  );
});

interface Options {
  readonly lazyConnect?: boolean;
  readonly enableOfflineQueue?: boolean;
  readonly retryStrategy?: () => number;
}

describe.skipIf(url === undefined)("an ioredis client", () => {
  const clientOf = (at: string, options: Options = {}) => new Redis(at, options).on("error", () => undefined);

  it("with lazyConnect and without a queue is connected by the first message", async () => {
    const client = clientOf(url ?? "", { lazyConnect: true, enableOfflineQueue: false });
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await Promise.all([adapter.publish(message), adapter.publish(message)]);
    await adapter.subscribe(silent);
    await adapter.close();
    client.disconnect();
  });

  it("without a queue makes a publish wait while it is still connecting", async () => {
    const client = clientOf(url ?? "", { enableOfflineQueue: false });
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await adapter.publish(message);
    client.disconnect();
    await adapter.close();
  });

  it("queues nothing: a message that is published while it reconnects is refused", { timeout: 30_000 }, async () => {
    const server = await startRedis();
    const channelPrefix = randomUUID();
    const client = clientOf(server.url, { retryStrategy: () => 20 });
    const publisher = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix });
    await publisher.publish(message);
    await server.kill();
    // The client itself repeats commands that were in flight at that moment.
    await expect.poll(() => client.status).not.toBe("ready");
    for (let turn = 0; turn < 50; turn += 1) {
      await expect(publisher.publish(message)).rejects.toThrow(/connect|closed/i);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await server.restart();
    const listening = clientOf(server.url);
    const listener = createRedisNotifyAdapter({ driver: ioRedis(listening), channelPrefix });
    const received: HintMessage["hints"][] = [];
    await listener.subscribe({ ...silent, onMessage: ({ hints }) => void received.push(hints) });
    const last = { ...message, hints: [{ kind: "look" }] } as const;
    await expect.poll(() => publisher.publish(last).then(() => "sent", String)).toBe("sent");
    await expect.poll(() => received.length).toBeGreaterThan(0);
    expect(received).toEqual([last.hints]);
    for (const adapter of [publisher, listener]) await adapter.close();
    for (const each of [client, listening]) each.disconnect();
    await server.stop();
  });

  it("is reported as closed for good after it was ended", async () => {
    const client = clientOf(url ?? "");
    const adapter = createRedisNotifyAdapter({ driver: ioRedis(client), channelPrefix: randomUUID() });
    await adapter.publish(message);
    await client.quit();
    await expect.poll(() => client.status).toBe("end");
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "closed" });
    await adapter.close();
  });
});
