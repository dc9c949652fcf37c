/**
 * Wakes workers through Redis publish and subscribe.
 *
 * @module
 */
export { createRedisNotifyAdapter } from "./adapter.ts";
export type { RedisNotifyAdapterOptions } from "./adapter.ts";
export type { RedisDriver, RedisSubscriber, RedisSubscription } from "./driver.ts";
