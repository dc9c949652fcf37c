/**
 * Wakes workers through NATS.
 *
 * @module
 */
export { createNatsNotifyAdapter } from "./adapter.ts";
export type { NatsNotifyAdapterOptions } from "./adapter.ts";
export type { NatsConnection } from "./connection.ts";
