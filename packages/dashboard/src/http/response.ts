import type { ErrorResponse } from "../protocol/routes.ts";

/**
 * Headers of every response: only the bundle's own scripts run; no framing, caching, sniffing, referrer or sharing with other origins.
 */
const commonHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
};

/** A response with the common headers. */
export function respond(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...commonHeaders, ...headers } });
}

export function jsonResponse(value: unknown, status = 200): Response {
  return respond(JSON.stringify(value), status, { "content-type": "application/json; charset=utf-8" });
}

export function errorResponse(status: number, error: ErrorResponse["error"]): Response {
  return jsonResponse({ error } satisfies ErrorResponse, status);
}

export function textResponse(text: string, status: number): Response {
  return respond(text, status, { "content-type": "text/plain; charset=utf-8" });
}
