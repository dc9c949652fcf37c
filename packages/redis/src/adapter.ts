import { ChainwrightError, type NotifyAdapter } from "chainwright";
import { createChannelNotifyAdapter } from "chainwright/notify-channel";
import type { RedisDriver } from "./driver.ts";

/**
 * What `createRedisNotifyAdapter` takes.
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
  /** Clients and workers that share a store share this name, and no others do. Default `chainwright`. */
  readonly channelPrefix?: string | undefined;
}

/** Far below what Redis takes, so that one message never holds up other clients for long. */
const maxMessageLength = 65_536;

/**
 * Carries hints over Redis Pub/Sub: workers in other processes hear of new work within a round trip. It publishes on the
 * given client and opens one connection of its own to listen, which `close()` ends.
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
    throw new ChainwrightError("invalid-input", "channelPrefix is a text that is not empty.");
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
