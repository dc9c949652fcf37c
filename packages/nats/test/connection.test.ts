import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";
import { startNats, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { HintMessage } from "chainwright";
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

/** A listener that keeps what it is told. */
function ear() {
  const told: unknown[] = [];
  const waits = new Set<() => void>();
  const hear = (what: unknown): void => {
    told.push(what);
    for (const wait of waits) wait();
  };
  return {
    told,
    until: (fits: (told: readonly unknown[]) => boolean) =>
      new Promise<void>((resolve) => {
        const wait = (): void => {
          if (fits(told)) resolve();
        };
        waits.add(wait);
        wait();
      }),
    listener: {
      onMessage: ({ hints }: HintMessage) => hear(hints),
      onLost: (error: unknown) => hear(error),
      onRestored: () => hear("restored"),
    },
  };
}

describe.skipIf(url === undefined)("the application's NATS connection", () => {
  it("is left alone while this process is too busy to read what the server answers", { timeout: 30_000 }, async () => {
    const connection = await open();
    const statuses: string[] = [];
    void (async () => {
      for await (const { type } of connection.status()) statuses.push(type);
    })();
    const adapter = createNatsNotifyAdapter({ connection, subjectPrefix: randomUUID() });
    const { told, listener } = ear();
    const subscribed = adapter.subscribe(listener);
    // For longer than an answer may take, first while the subscription is opened, then while it is watched.
    await Promise.resolve();
    blockFor(2_300);
    await subscribed;
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    blockFor(2_300);
    await connection.flush();
    expect(told).toEqual([]);
    expect(statuses.filter((type) => type !== "ping")).toEqual([]);
    await adapter.close();
  });

  it("is never told to reconnect, not even when its server does not answer", { timeout: 60_000 }, async () => {
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
    const { told, until, listener } = ear();
    await adapter.subscribe(listener);
    await server.pause();
    await until((all) => all.length === 1);
    await server.resume();
    await until((all) => all.includes("restored"));
    expect(told).toHaveLength(2);
    expect(reconnects).toBe(0);
    await adapter.close();
  });

  it("may be made with noEcho", async () => {
    const subjectPrefix = randomUUID();
    const adapter = createNatsNotifyAdapter({ connection: await open({ noEcho: true }), subjectPrefix });
    const { told, until, listener } = ear();
    await adapter.subscribe(listener);
    await createNatsNotifyAdapter({ connection: await open(), subjectPrefix }).publish(message);
    await until((all) => all.length > 0);
    expect(told).toEqual([message.hints]);
    await adapter.close();
  });

  it("keeps nothing for later: what is published while it is down is refused", { timeout: 30_000 }, async () => {
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
    // It does not know yet how the connection is.
    const adapter = createNatsNotifyAdapter({ connection: watched, subjectPrefix });
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "timeout" });
    await expect(adapter.publish(message)).rejects.toThrow(/NATS connection is down|took longer/);
    await server.restart();
    const look = { ...message, hints: [{ kind: "look" }] } as const;
    await expect.poll(() => adapter.publish(look).then(() => "sent", String)).toBe("sent");
    expect(sent).toEqual([expect.stringContaining('["?"]')]);
    await adapter.close();
  });

  it("whose client has given up is reported as lost for good", { timeout: 30_000 }, async () => {
    const server = await startOwn();
    const connection = await open({ servers: server.url, maxReconnectAttempts: 2, reconnectTimeWait: 50 });
    const adapter = createNatsNotifyAdapter({ connection, subjectPrefix: randomUUID() });
    const { told, until, listener } = ear();
    await adapter.subscribe(listener);
    await server.kill();
    const isForGood = (what: unknown) => what instanceof Error && "code" in what && what.code === "closed";
    await until((all) => all.some(isForGood));
    expect(told.at(-1)).toMatchObject({ code: "closed", message: expect.stringContaining("for good") });
    await expect(adapter.publish(message)).rejects.toMatchObject({ code: "closed" });
    await expect(adapter.subscribe(listener)).rejects.toMatchObject({ code: "closed" });
    await adapter.close();
  });
});

describe.skipIf(url === undefined)("a NATS user with few permissions", () => {
  it("that may not publish is told so by the publish that it is about", { timeout: 30_000 }, async () => {
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
    const { told, until, listener } = ear();
    await adapter.subscribe(listener);
    for (let round = 0; round < 3; round += 1)
      await expect(adapter.publish(message)).rejects.toThrow(/permissions violation/i);
    await other.publish({ ...message, senderId: "other" });
    await until((all) => all.includes(message.hints) || all.length > 3);
    expect(told.length).toBe(4);
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
