import { requestHeader } from "../protocol/routes.ts";
import { Refusal } from "./refusal.ts";

/**
 * Refuses requests that another site may have made a browser send. A form can send neither JSON nor the header. A fetch of another origin
 * needs a CORS permission for both, which the dashboard never gives. The browser itself writes `Origin` and `Sec-Fetch-Site`.
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
  // `none`: a person typed the address or opened a bookmark; that can never be a POST.
  const isOwn = site === null || site === "same-origin" || (site === "none" && request.method !== "POST");
  if (!isOwn) throw new Refusal(403, "forbidden", "The request comes from another site.");
}

function isOwnOrigin(request: Request, origins: readonly string[] | undefined): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  if (origins !== undefined) return origins.includes(origin);
  // Behind a proxy that terminates TLS the schemes differ, so only hosts are compared.
  return URL.canParse(origin) && new URL(origin).host === new URL(request.url).host && /^https?:/.test(origin);
}
