import { pathBelow } from "./base-path.ts";
import { commonHeaders, type Call, type Reply } from "./message.ts";
import { readBody } from "./read-body.ts";

/** A request of the web. */
export function callOfRequest(request: Request, basePath: string): Call {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: pathBelow(basePath, url.pathname),
    query: url.searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async (limits) => (request.body === null ? "" : await readBody(request.body, limits)),
    signal: request.signal,
  };
}

export function responseOf({ method, signal }: Request, { status, body, headers, onUndelivered }: Reply): Response {
  // Jobs for a client that has hung up go back.
  if (signal.aborted) onUndelivered?.();
  return new Response(method === "HEAD" ? null : body, { status, headers: { ...commonHeaders, ...headers } });
}
