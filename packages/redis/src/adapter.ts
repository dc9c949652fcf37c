import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import type { RedisDriver } from "./driver.ts";

/**
 * Options of `createRedisNotifyAdapter`.
 *
 * @example
 * const perStage = (driver: RedisDriver, stage: string): RedisNotifyAdapterOptions => ({
 *   driver,
 *   channelPrefix: `shop-${stage}`, // hints travel on shop-test:hints, shop-live:hints...
 * });
 */
export interface RedisNotifyAdapterOptions {
  /** `nodeRedis(client)` or `ioRedis(client)`. */
  readonly driver: RedisDriver;
  /** The same for all clients and workers of one store, and different for every other store. Default: `chainwright`. */
  readonly channelPrefix?: string | undefined;
}

/** Far below the limit of Redis, so that one message never delays other clients for long. */
const maxMessageLength = 65_536;

/**
 * Sends hints over Redis Pub/Sub: workers in other processes are woken within a round trip. It publishes on the given client
 * and subscribes on one connection of its own, which `close()` ends.
 *
 * @example
 * import { createClient } from "redis";
 *
 * const redis = await createClient({ url: "redis://localhost" }).connect();
 * const notifyAdapter = createRedisNotifyAdapter({ driver: nodeRedis(redis) });
 */
export function createRedisNotifyAdapter({
  driver,
  channelPrefix = "chainwright",
}: RedisNotifyAdapterOptions): NotifyAdapter & AsyncDisposable {
  if (typeof channelPrefix !== "string" || channelPrefix === "") {
    throw new ChainwrightError(
      "invalid-input",
      `channelPrefix must be a non-empty string; got ${JSON.stringify(channelPrefix)}.`,
    );
  }
  const channel = `${channelPrefix}:hints`;
  return createChannelNotifyAdapter({
    channel: {
      maxMessageLength,
      publish: (messages, signal) => driver.publish(channel, messages, signal),
      open: (listener, signal) => driver.subscribe({ channel, ...listener }, signal),
      close: async () => {},
    },
  });
}
