/**
 * Links in mails and messages that send a signal to a chain: signed, not stored, each for one use. It needs nothing but Web Crypto.
 *
 * @module
 */
export { createSignalLinks } from "./create-signal-links.ts";
export type { LinkedSignalOf, SignalLinks, SignalLinksOptions, SignalUrl, SignalUrls } from "./types.ts";
export type { LinkState, SignalLinkView } from "./view.ts";
