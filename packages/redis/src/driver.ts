/**
 * The seam to a Redis client library. `@chainwright/redis/node-redis` and `@chainwright/redis/ioredis` hold the ones that come
 * along.
 *
 * @example
 * function logged(driver: RedisDriver): RedisDriver {
 *   return {
 *     ...driver,
 *     publish: (channel, messages, signal) => {
 *       logger.info(`${messages.length} to ${channel}`);
 *       return driver.publish(channel, messages, signal);
 *     },
 *   };
 * }
 */
export interface RedisDriver {
  /**
   * Resolves when Redis took the messages; rejects at once while the connection is known to be down, whatever the client would
   * queue, and with a `ChainwrightError` with the code `closed` where it will never be up again. When the signal aborts, what has not been
   * sent must not be sent any more.
   */
  publish(channel: string, messages: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Subscribes on a connection of its own. Resolves when Redis confirmed it. When the signal aborts before that, rejects and
   * leaves no connection open.
   */
  subscribe(subscription: RedisSubscription, signal: AbortSignal): Promise<RedisSubscriber>;
}

/**
 * A connection that is subscribed.
 *
 * @example
 * async function isAlive(subscriber: RedisSubscriber): Promise<boolean | undefined> {
 *   if (subscriber.probe === undefined) return undefined; // it cannot be asked
 *   return await subscriber.probe().then(
 *     () => true,
 *     () => false,
 *   );
 * }
 */
export interface RedisSubscriber {
  /** Resolves when the connection answers; left out where that cannot be asked. */
  probe?(): Promise<void>;
  /** Ends the connection without waiting for a server that may be gone. */
  close(): Promise<void>;
}

/**
 * What to subscribe to, and who is told.
 *
 * @example
 * const heard: string[] = [];
 * const subscription: RedisSubscription = {
 *   channel: "shop:hints",
 *   onMessage: (message) => void heard.push(message),
 *   onBroken: (error) => logger.warn(error),
 * };
 */
export interface RedisSubscription {
  readonly channel: string;
  onMessage(message: string): void;
  /** The connection ended, or had an error: messages may have been missed. */
  onBroken(error: unknown): void;
}
