/**
 * The interface to a Redis client library. `@chainwright/redis/node-redis` and `@chainwright/redis/ioredis` export the existing drivers.
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
   * Resolves when Redis has accepted the messages. While the connection is known to be down, it rejects at once instead of letting the
   * client queue the messages; if the connection will never be up again, with a `ChainwrightError` with the code `closed`. After the signal
   * has aborted, unsent messages must not be sent.
   */
  publish(channel: string, messages: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Subscribes on a connection of its own. Resolves when Redis has confirmed the subscription. If the signal aborts before that, it
   * rejects and leaves no connection open.
   */
  subscribe(subscription: RedisSubscription, signal: AbortSignal): Promise<RedisSubscriber>;
}

/**
 * A subscribed connection.
 *
 * @example
 * async function isAlive(subscriber: RedisSubscriber): Promise<boolean | undefined> {
 *   if (subscriber.probe === undefined) return undefined; // the driver has no probe
 *   return await subscriber.probe().then(
 *     () => true,
 *     () => false,
 *   );
 * }
 */
export interface RedisSubscriber {
  /** Resolves when the connection responds; missing if the client library offers no way to check. */
  probe?(): Promise<void>;
  /** Ends the connection without waiting for a server that may be gone. */
  close(): Promise<void>;
}

/**
 * A channel to subscribe to, and its callbacks.
 *
 * @example
 * const received: string[] = [];
 * const subscription: RedisSubscription = {
 *   channel: "shop:hints",
 *   onMessage: (message) => void received.push(message),
 *   onBroken: (error) => logger.warn(error),
 * };
 */
export interface RedisSubscription {
  readonly channel: string;
  onMessage(message: string): void;
  /** The connection has ended or had an error: messages may have been missed. */
  onBroken(error: unknown): void;
}
