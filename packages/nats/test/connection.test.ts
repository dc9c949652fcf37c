import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";
import { startNats, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { HintMessage } from "chainwright/adapter";
import { afterEach, describe, expect, it } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";

const url = await findBackend("nats");

const message: HintMessage = { storeId: "s", senderId: "me", hints: [{ kind: "ended", chainId: "c" }] };
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function open(options: ConnectionOptions = {}): Promise<NatsConnection> {
  const connection = await connect({ servers: url ?? "", maxReconnectAttempts: -1, ...options });
  ends.push(() => connection.close());
  return connection;
}

async function startOwn(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = await startNats({ settings });
  ends.push(() => server.stop());
  return server;
}

/** A listener that records what it receives. */
function createRecorder() {
  const received: unknown[] = [];
  const checks = new Set<() => void>();
  const record = (item: unknown): void => {
    received.push(item);
    for (const check of checks) check();
  };
  return {
    received,
    until: (isComplete: (received: readonly unknown[]) => boolean) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (isComplete(received)) resolve();
        };
        checks.add(check);
        check();
      }),
    listener: {
      onMessage: ({ hints }: HintMessage) => record(hints),
      onLost: (error: unknown) => record(error),
      onRestored: () => record("restored"),
    },
  };
}

describe.skipIf(url === undefined)("the application's NATS connection", () => {
  it("is not touched while this process is too busy to read the server's responses", { timeout: 30_000 }, async () => {
    const connection = await open();
    const statuses: string[] = [];
    void (async () => {
      for await (const { type } of connection.status()) statuses.push(type);
    })();
    const adapter = createNatsNotifyAdapter({ connection, subjectPrefix: randomUUID() });
    const { received, listener } = createRecorder();
    const subscribed = adapter.subscribe(listener);
    // Longer than the limit of a response: first while the subscription is opened, then while it is watched.
    await Promise.resolve();
    blockFor(2_300);
    await subscribed;
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    blockFor(2_300);
    await connection.flush();
    expect(received).toEqual([]);
    expect(statuses.filter((type) => type !== "ping")).toEqual([]);
    await adapter.close();
  });

  it(
    "is never reconnected by the adapter, not even when its server does not respond",
    { timeout: 60_000 },
    async () => {
      const server = await startOwn();
      const connection = await open({ servers: server.url });
      let reconnects = 0;
      const watched = new Proxy(connection, {
        get(target, key) {
          if (key === "reconnect") reconnects += 1;
          const value: unknown = Reflect.get(target, key);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      const adapter = createNatsNotifyAdapter({ connection: watched, subjectPrefix: randomUUID() });
      const { received, until, listener } = createRecorder();
      await adapter.subscribe(listener);
      await server.pause();
      await until((all) => all.length === 1);
      await server.resume();
      await until((all) => all.includes("restored"));
      expect(received).toHaveLength(2);
      expect(reconnects).toBe(0);
      await adapter.close();
    },
  );

  it("may be created with noEcho", async () => {
    const subjectPrefix = randomUUID();
    const adapter = createNatsNotifyAdapter({ connection: await open({ noEcho: true }), subjectPrefix });
    const { received, until, listener } = createRecorder();
    await adapter.subscribe(listener);
    await createNatsNotifyAdapter({ connection: await open(), subjectPrefix }).publish(message);
    await until((all) => all.length > 0);
    expect(received).toEqual([message.hints]);
    await adapter.close();
  });

  it("queues nothing: a message that is published while it is down is refused", { timeout: 30_000 }, async () => {
    const server = await startOwn();
    const connection = await open({ servers: server.url, reconnectTimeWait: 50 });
    const subjectPrefix = randomUUID();
    await server.kill();
    await untilStatus(connection, "reconnecting");
    const sent: string[] = [];
    const watched: NatsConnection = Object.create(connection, {
      publish: {
        value(subject: string, payload: string) {
          sent.push(payload);
          connection.publish(subject, payload);
        },
      },
    });
    // The adapter does not know the state of the connection yet.
    const adapter = createNatsNotifyAdapter({ connection: watched, subjectPrefix });
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "timeout" });
    await expect(adapter.publish(message)).rejects.toThrow(/NATS connection is down|took longer/);
    await server.restart();
    const look = { ...message, hints: [{ kind: "look" }] } as const;
    await expect.poll(() => adapter.publish(look).then(() => "sent", String)).toBe("sent");
    expect(sent).toEqual([expect.stringContaining('["?"]')]);
    await adapter.close();
  });

  it("is reported as lost for good when its client has given up", { timeout: 30_000 }, async () => {
    const server = await startOwn();
    const connection = await open({ servers: server.url, maxReconnectAttempts: 2, reconnectTimeWait: 50 });
    const adapter = createNatsNotifyAdapter({ connection, subjectPrefix: randomUUID() });
    const { received, until, listener } = createRecorder();
    await adapter.subscribe(listener);
    await server.kill();
    const isForGood = (what: unknown) => what instanceof Error && "code" in what && what.code === "closed";
    await until((all) => all.some(isForGood));
    expect(received.at(-1)).toMatchObject({ code: "closed", message: expect.stringContaining("for good") });
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "closed" });
    await expect(adapter.subscribe(listener)).rejects.toMatchObject({ code: "closed" });
    await adapter.close();
  });
});

describe.skipIf(url === undefined)("a NATS user with few permissions", () => {
  it("without the permission to publish gets the error from the refused publish", { timeout: 30_000 }, async () => {
    const subjectPrefix = "app";
    const folder = await mkdtemp(join(tmpdir(), "chainwright-nats-"));
    ends.push(() => rm(folder, { recursive: true }));
    const config = join(folder, "nats.conf");
    const user = `{ user: mute, password: x, permissions: { publish: { deny: ["app.hints"] } } }`;
    await writeFile(config, `authorization { users = [ ${user}, { user: free, password: x } ] }`);
    const server = await startOwn({ config });
    const [mute, free] = [
      await open({ servers: server.url, user: "mute", pass: "x" }),
      await open({ servers: server.url, user: "free", pass: "x" }),
    ];
    const adapter = createNatsNotifyAdapter({ connection: mute, subjectPrefix });
    const other = createNatsNotifyAdapter({ connection: free, subjectPrefix });
    const { received, until, listener } = createRecorder();
    await adapter.subscribe(listener);
    for (let round = 0; round < 3; round += 1)
      await expect(adapter.publish(message)).rejects.toThrow(/permissions violation/i);
    await other.publish({ ...message, senderId: "other" });
    await until((all) => all.includes(message.hints) || all.length > 3);
    expect(received.length).toBe(4);
    await adapter.close();
    await other.close();
  });
});

/** Keeps the event loop busy. */
function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function untilStatus(connection: NatsConnection, wanted: string): Promise<void> {
  for await (const { type } of connection.status()) if (type === wanted) return;
}
