export { createRedisNotifyAdapter } from "./adapter.ts";
export type { RedisNotifyAdapterOptions } from "./adapter.ts";
export type { RedisDriver, RedisSubscription } from "./driver.ts";
