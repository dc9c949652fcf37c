/**
 * The parts of a notify adapter that do not depend on the broker. An adapter provides a {@link MessageChannel}; this module adds
 * the format of messages, their splitting, a heartbeat, reopening with backoff, and time limits.
 *
 * @module
 */
export { createChannelNotifyAdapter } from "./adapter.ts";
export type { ChannelNotifyAdapterOptions } from "./adapter.ts";
export type { ChannelLink, ChannelListener, MessageChannel } from "./channel.ts";
