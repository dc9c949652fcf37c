/**
 * The driver for `redis`, also called node-redis.
 *
 * @module
 */
import { ChainwrightError } from "chainwright";
import type { RedisDriver } from "../driver.ts";

/** The part of a `redis` client (single, sentinel or cluster) that the driver uses. */
interface NodeRedisClient {
  /** Clusters do not have it. */
  readonly isReady?: boolean;
  /** False before `connect()` and after the client was closed. */
  readonly isOpen?: boolean;
  publish(channel: string, message: string): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

/** The part of the subscribing `duplicate()` that the driver uses. */
interface NodeRedisSubscriber {
  on(event: string, listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  ping?(): Promise<unknown>;
  destroy(): void;
}

/**
 * The driver for the `redis` package: a connected `createClient()` or `createCluster()`. It subscribes on a `duplicate()`.
 *
 * @example
 * import { createClient } from "redis";
 *
 * const redis = await createClient({ url: "redis://localhost" }).on("error", console.error).connect();
 * const notifyAdapter = createRedisNotifyAdapter({ driver: nodeRedis(redis) });
 */
export function nodeRedis(client: NodeRedisClient): RedisDriver {
  return {
    async publish(channel, messages) {
      // The message would wait in the client's queue until the connection is back, and the hint would be useless.
      if (client.isReady === false)
        throw client.isOpen === false ? notOpen() : new Error("the Redis client is not connected.");
      await Promise.all(messages.map((message) => client.publish(channel, message)));
    },
    async subscribe({ channel, onMessage, onBroken }, signal) {
      const subscriber = client.duplicate();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(onBroken);
      // The duplicate would reconnect and subscribe again by itself without reporting missed messages. Without a listener, an error
      // is thrown.
      for (const event of ["error", "node-error", "reconnecting", "end", "terminated"]) {
        subscriber.on(event, (error) => failed.reject(error ?? new Error(`the Redis connection reported "${event}".`)));
      }
      const abort = (): void => failed.reject(signal.reason);
      signal.addEventListener("abort", abort);
      const open = async (): Promise<void> => {
        await subscriber.connect();
        await subscriber.subscribe(channel, onMessage);
      };
      try {
        await Promise.race([open(), failed.promise]);
      } catch (error) {
        destroy(subscriber);
        throw error;
      } finally {
        signal.removeEventListener("abort", abort);
      }
      const close = async (): Promise<void> => destroy(subscriber);
      // A cluster does not expose its subscribed connection, so it has no probe.
      if (client.isReady === undefined) return { close };
      return { close, probe: async () => void (await subscriber.ping?.()) };
    },
  };
}

function notOpen(): ChainwrightError {
  return new ChainwrightError(
    "closed",
    "the Redis client is closed: connect it before its first use, and close it last.",
  );
}

function destroy(subscriber: NodeRedisSubscriber): void {
  try {
    subscriber.destroy();
  } catch {
    // It was already closed.
  }
}
