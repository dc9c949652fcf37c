/**
 * For notify adapters on a broker of one's own: everything but the broker. An adapter gives a {@link MessageChannel} and gets
 * texts, splitting, a heartbeat, reopening with backoff and limits of time.
 *
 * @module
 */
export { createChannelNotifyAdapter } from "./adapter.ts";
export type { ChannelNotifyAdapterOptions } from "./adapter.ts";
export type { ChannelLink, ChannelListener, MessageChannel } from "./channel.ts";
