import type { AnyEnv } from "../types/env.ts";
import { createErasedLinks, type ErasedOptions } from "./erased-links.ts";
import type { SignalLinks, SignalLinksOptions } from "./types.ts";

/**
 * Creates links that send a signal to a step of a chain: for mails and messages, whose readers have no session. Anyone who has a link can
 * use it, once, until it expires; nothing is stored for it. A GET shows a page with a button, and only the button's POST sends the signal,
 * because programs that scan mails open every link.
 *
 * The signature is HMAC-SHA-256 (RFC 2104) over the chain, the step, the signal, its payload, its `signalId` and the time when it expires.
 *
 * @throws `invalid-input` for options that it does not have, secrets that are too short, and a `basePath` that is no path
 * @example
 * const links = createSignalLinks({ client, secrets: [process.env["LINK_SECRET"]], basePath: "/answer" });
 * const signal = { signal: "approved", payload: { by: "Grace" } } as const;
 * const url = await links.url({ id, typeName: "order.approve", ...signal, expiresInMs: 3 * 24 * 3_600_000 });
 * // Hono: app.mount("/answer", links.fetch)
 */
export function createSignalLinks<E extends AnyEnv>(options: SignalLinksOptions<E>): SignalLinks<E> {
  return createErasedLinks(options as unknown as ErasedOptions) as unknown as SignalLinks<E>;
}
