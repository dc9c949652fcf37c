/**
 * The driver for `ioredis`.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { RedisDriver } from "../driver.ts";

/** The part of the publishing client that the driver uses. */
interface IoRedisConnection {
  readonly status: string;
  connect(): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  on(event: "ready" | "close", listener: () => void): unknown;
  off(event: "ready" | "close", listener: () => void): unknown;
}

/** The part of ioredis' `Redis` that the driver uses. */
interface IoRedisClient extends IoRedisConnection {
  duplicate(): IoRedisSubscriber;
}

/** The part of ioredis' `Cluster` that the driver uses. */
interface IoRedisCluster extends IoRedisConnection {
  nodes(): readonly IoRedisClient[];
}

/** The part of the subscribing `duplicate()` that the driver uses. */
interface IoRedisSubscriber {
  readonly status: string;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
  on(event: "ready" | "error" | "close", listener: (error?: unknown) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  ping(): Promise<unknown>;
  disconnect(): void;
}

/** States that soon lead to a connection. In every other state except `ready`, a command would wait in the client's queue. */
const connecting: ReadonlySet<string> = new Set(["wait", "connecting", "connect"]);

/**
 * The driver for the `ioredis` package: `new Redis()` or `new Cluster()`. It subscribes on a `duplicate()`; in a cluster, of
 * any node, because a cluster forwards published messages to all of its nodes.
 *
 * The client's own `retryStrategy` decides how soon it publishes again after an outage. The default waits up to five seconds.
 *
 * @example
 * import { Redis } from "ioredis";
 *
 * const redis = new Redis("redis://localhost");
 * const notifyAdapter = createRedisNotifyAdapter({ driver: ioRedis(redis) });
 */
export function ioRedis(client: IoRedisClient | IoRedisCluster): RedisDriver {
  return {
    async publish(channel, messages, signal) {
      await untilReady(client, signal);
      await Promise.all(messages.map((message) => client.publish(channel, message)));
    },
    async subscribe({ channel, onMessage, onBroken }, signal) {
      const subscriber = (await nodeOf(client, signal)).duplicate();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(onBroken);
      const ready = Promise.withResolvers<void>();
      subscriber.on("ready", () => ready.resolve());
      // The duplicate would reconnect and subscribe again by itself without reporting missed messages. Without an error listener,
      // errors are logged.
      subscriber.on("error", failed.reject);
      subscriber.on("close", () => failed.reject(new Error("the Redis connection was closed.")));
      subscriber.on("message", (_channel, message) => onMessage(message));
      const abort = (): void => failed.reject(signal.reason);
      signal.addEventListener("abort", abort);
      const open = async (): Promise<void> => {
        // The duplicates of a client with `lazyConnect` have to be connected explicitly.
        if (subscriber.status === "wait") await subscriber.connect();
        await ready.promise;
        await subscriber.subscribe(channel);
      };
      try {
        await Promise.race([open(), failed.promise]);
      } catch (error) {
        subscriber.disconnect();
        throw error;
      } finally {
        signal.removeEventListener("abort", abort);
      }
      return {
        probe: async () => void (await subscriber.ping()),
        close: async () => subscriber.disconnect(),
      };
    },
  };
}

/** Resolves when commands are sent immediately; rejects if they would wait in the client's queue and arrive too late to be useful. */
async function untilReady(client: IoRedisConnection, signal: AbortSignal): Promise<void> {
  if (client.status === "ready") return;
  if (!connecting.has(client.status)) throw notConnected(client);
  const ready = Promise.withResolvers<void>();
  const fail = (): void => ready.reject(signal.aborted ? signal.reason : notConnected(client));
  client.on("ready", ready.resolve);
  client.on("close", fail);
  signal.addEventListener("abort", fail);
  // A client with `lazyConnect` connects with its first command.
  if (client.status === "wait") client.connect().catch(fail);
  try {
    await ready.promise;
  } finally {
    client.off("ready", ready.resolve);
    client.off("close", fail);
    signal.removeEventListener("abort", fail);
  }
}

function notConnected({ status }: IoRedisConnection): Error {
  const message = `the Redis client is not connected: its status is "${status}".`;
  return status === "end"
    ? new ChainwrightError("closed", `${message} It never connects again by itself.`)
    : new Error(message);
}

/** A cluster's own subscriber would move to another node without reporting missed messages, so the driver subscribes on one node. */
async function nodeOf(client: IoRedisClient | IoRedisCluster, signal: AbortSignal): Promise<IoRedisClient> {
  if (!("nodes" in client)) return client;
  await untilReady(client, signal);
  const nodes = client.nodes();
  const ready = nodes.filter((node) => node.status === "ready");
  const candidates = ready.length > 0 ? ready : nodes;
  const node = candidates[Math.floor(Math.random() * candidates.length)];
  if (node === undefined) throw new Error(`the Redis cluster has no node: its status is "${client.status}".`);
  return node;
}
