/**
 * The driver for `ioredis`.
 *
 * @module
 */
import type { RedisDriver } from "../driver.ts";

/** What is used of a `Redis` of `ioredis`. */
interface IoRedisClient {
  readonly status: string;
  publish(channel: string, message: string): Promise<unknown>;
  duplicate(): IoRedisSubscriber;
}

/** What is used of a `Cluster` of `ioredis`. */
interface IoRedisCluster {
  readonly status: string;
  publish(channel: string, message: string): Promise<unknown>;
  nodes(): readonly IoRedisClient[];
}

/** What is used of the `duplicate()` that subscribes. */
interface IoRedisSubscriber {
  readonly status: string;
  on(event: "message", listener: (channel: string, message: string) => void): unknown;
  on(event: "ready" | "error" | "close", listener: (error?: unknown) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  ping(): Promise<unknown>;
  disconnect(): void;
}

/** States in which a command would wait in the client's queue until the connection is back. */
const down: ReadonlySet<string> = new Set(["close", "reconnecting", "disconnecting", "end"]);

/**
 * The driver for the `ioredis` package: `new Redis()` or `new Cluster()`. It listens on a `duplicate()`, in a cluster that of
 * any node: a cluster tells all its nodes what is published.
 *
 * How soon it publishes again after an outage is up to the client's own `retryStrategy`, which by default waits up to five
 * seconds.
 *
 * @example
 * import { Redis } from "ioredis";
 *
 * const redis = new Redis("redis://localhost");
 * const notifyAdapter = createRedisNotifyAdapter({ driver: ioRedis(redis) });
 */
export function ioRedis(client: IoRedisClient | IoRedisCluster): RedisDriver {
  return {
    async publish(channel, messages) {
      if (down.has(client.status))
        throw new Error(`the Redis client is not connected: its status is "${client.status}".`);
      await Promise.all(messages.map((message) => client.publish(channel, message)));
    },
    async subscribe({ channel, onMessage, onBroken }, signal) {
      const subscriber = nodeOf(client).duplicate();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(onBroken);
      const ready = Promise.withResolvers<void>();
      subscriber.on("ready", () => ready.resolve());
      // It would reconnect and subscribe again by itself, and tell nobody what it missed. Without a listener an error is logged.
      subscriber.on("error", failed.reject);
      subscriber.on("close", () => failed.reject(new Error("the Redis connection was closed.")));
      subscriber.on("message", (_channel, message) => onMessage(message));
      const abort = (): void => failed.reject(signal.reason);
      signal.addEventListener("abort", abort);
      const open = async (): Promise<void> => {
        // A client made with `lazyConnect` has duplicates that wait to be told.
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

/** A cluster's own subscriber would move to another node by itself, and tell nobody what it missed. */
function nodeOf(client: IoRedisClient | IoRedisCluster): IoRedisClient {
  if (!("nodes" in client)) return client;
  const nodes = client.nodes();
  const ready = nodes.filter((node) => node.status === "ready");
  const candidates = ready.length > 0 ? ready : nodes;
  const node = candidates[Math.floor(Math.random() * candidates.length)];
  if (node === undefined) throw new Error(`the Redis cluster has no node: its status is "${client.status}".`);
  return node;
}
