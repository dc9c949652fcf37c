import { requestHeader } from "../protocol/routes.ts";
import { Refusal } from "./refusal.ts";

/**
 * Refuses what another site may have made a browser send. A form cannot send JSON nor the header, a fetch of another origin
 * needs our leave for both, which nobody gets; `Origin` and `Sec-Fetch-Site` are written by the browser itself.
 */
export function refuseOtherSites(request: Request, origins: readonly string[] | undefined): void {
  refuseForeignFetch(request);
  if (request.method !== "POST") return;
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Refusal(415, "invalid-request", "Send application/json.");
  }
  if (!request.headers.has(requestHeader)) {
    throw new Refusal(403, "forbidden", `The request lacks the header ${requestHeader}.`);
  }
  if (!isOwnOrigin(request, origins)) {
    throw new Refusal(403, "forbidden", "The request comes from another origin.");
  }
}

function refuseForeignFetch(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  // `none`: a person typed the address or followed a bookmark; nothing that changes anything comes about so.
  const isOwn = site === null || site === "same-origin" || (site === "none" && request.method !== "POST");
  if (!isOwn) throw new Refusal(403, "forbidden", "The request comes from another site.");
}

function isOwnOrigin(request: Request, origins: readonly string[] | undefined): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  if (origins !== undefined) return origins.includes(origin);
  // Behind a proxy that ends TLS the schemes differ, so hosts are compared.
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host && /^https?:/.test(origin);
}
