import type { LinkState } from "./view.ts";

const statuses: Readonly<Record<LinkState, number>> = {
  ask: 200,
  sent: 200,
  "sent-before": 200,
  expired: 410,
  over: 410,
  "not-valid": 404,
};

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "content-type": "text/html; charset=utf-8",
  // The address of the page is the secret.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
};

export function pageResponse(state: LinkState, html: string): Response {
  return new Response(html, { status: statuses[state], headers });
}

/** A response without a page. A `fetch` removes the body where the request was a HEAD. */
export function plainResponse(status: number, text: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8", ...more } });
}

/**
 * Whether another site made the browser send this form. The browser writes `Sec-Fetch-Site`; `Origin` is `null` here, because the page is
 * served with `Referrer-Policy: no-referrer`. Without the header it was not sent by a browser of the last years.
 */
export function isFromOtherSite(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  return request.method === "POST" && site !== null && site !== "same-origin";
}
