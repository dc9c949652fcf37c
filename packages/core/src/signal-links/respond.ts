import { isChainwrightError } from "../model/error.ts";
import type { LinkState } from "./view.ts";
import type { LinkedSignal } from "./token.ts";

/** Sends the signal of a link. Resolves to whether it was the first time. */
export type Send = (linked: LinkedSignal) => Promise<{ readonly isFirst: boolean }>;

export interface LinkStore {
  /** Undefined: no link of ours. */
  readonly read: (token: string) => Promise<LinkedSignal | undefined>;
  readonly send: Send;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What becomes of a request: what its page says, and about which signal. */
export interface Answer {
  readonly state: LinkState;
  readonly linked: LinkedSignal | undefined;
}

/** The page says the same of a chain that has ended and of one that does not exist. */
const overCodes = ["chain-not-active", "chain-not-found", "job-type-mismatch"] as const;

/**
 * Performs a request. Only a POST writes: scanners of mail, previews of messengers and prefetching browsers open links, and send no forms.
 */
export async function answer(request: Request, { read, send, now }: LinkStore): Promise<Answer> {
  const linked = await read(tokenOf(request));
  if (linked === undefined) return { state: "not-valid", linked };
  if (now() >= linked.expiresAt) return { state: "expired", linked };
  if (request.method !== "POST") return { state: "ask", linked };
  try {
    const { isFirst } = await send(linked);
    return { state: isFirst ? "sent" : "sent-before", linked };
  } catch (error) {
    if (overCodes.some((code) => isChainwrightError(error, code))) return { state: "over", linked };
    throw error;
  }
}

/** The last segment of the path: a router may have removed what comes before. */
function tokenOf({ url }: Request): string {
  const { pathname } = new URL(url);
  return pathname.slice(pathname.lastIndexOf("/") + 1);
}
