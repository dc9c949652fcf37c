import type { ErrorAnswer } from "./protocol.ts";

/** On every answer: nothing runs but the bundle's own files, nothing is framed, kept, sniffed, referred to or shared. */
const always: Readonly<Record<string, string>> = {
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

/** An answer with the headers that all have. */
export function answer(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...always, ...headers } });
}

export function jsonAnswer(value: unknown, status = 200): Response {
  return answer(JSON.stringify(value), status, { "content-type": "application/json; charset=utf-8" });
}

export function errorAnswer(status: number, error: ErrorAnswer["error"]): Response {
  return jsonAnswer({ error } satisfies ErrorAnswer, status);
}

export function textAnswer(text: string, status: number): Response {
  return answer(text, status, { "content-type": "text/plain; charset=utf-8" });
}
