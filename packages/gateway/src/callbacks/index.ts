/**
 * Callbacks: a URL is told of the end of a chain, by Standard Webhooks. They are jobs of the store, delivered by any worker.
 *
 * @module
 */
export { addCallback, type AddCallbackOptions } from "./add-callback.ts";
export {
  callbackJobTypes,
  type CallbackInput,
  type CallbackResult,
  type DeliveryInput,
  type StoppedEnd,
} from "./job-types.ts";
export type { CallbackReceiver } from "./deliver.ts";
export { createCallbackProcessors, type CallbackOptions } from "./processors.ts";
export { createCallbackSecret } from "./sign.ts";
export type { CallbackFormat } from "./event.ts";
export type { CallbackRules } from "./rules.ts";
