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
  return /^https?:/.test(origin) && origin === originIn(origin) && new URL(origin).host === hostOf(request);
}

/**
 * Refuses a request that a page of another origin sent. A program that is not a browser names no origin and passes.
 *
 * @param origins the origins from which requests may come; undefined: the one whose host was addressed
 * @throws an error that `refusalOf` knows
 * @example
 * const guarded = async (request: Request): Promise<Response> => {
 *   refuseOtherOrigins(request, ["https://shop.example.com"]);
 *   return Response.json(await readJson(request));
 * };
 */
export function refuseOtherOrigins(request: Request, origins: readonly string[] | undefined): void {
  if (!request.headers.has("origin") || isOwnOrigin(request, origins)) return;
  throw new Refusal(403, "forbidden", "The request comes from another origin.");
}

/** Refuses a Host that no browser should use: a foreign name that resolves to this server, as with DNS rebinding. */
export function refuseOtherHosts(request: Request, hosts: readonly string[] | undefined): void {
  if (hosts === undefined || hosts.includes(hostOf(request))) return;
  throw new Refusal(421, "forbidden", "This server is not reached by this name.");
}

/** The host that the browser addressed. Frameworks write a name of their own into the request's address, as Next.js does. */
function hostOf(request: Request): string {
  return request.headers.get("host")?.toLowerCase() ?? new URL(request.url).host;
}

function originIn(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}
