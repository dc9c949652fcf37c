import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "../create-gateway.ts";
import { pathBelow } from "./base-path.ts";
import { commonHeaders, type Call, type Reply } from "./message.ts";
import { readNodeBody } from "./read-body.ts";

/**
 * Returns a gateway as a node:http listener, for node:http, Express, Fastify and other frameworks built on it.
 *
 * @example
 * import { createServer } from "node:http";
 * import { createNodeListener } from "@chainwright/gateway/node";
 *
 * createServer(createNodeListener(gateway)).listen(8080);
 */
export function createNodeListener(
  gateway: Gateway,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const reply = await gateway.handle(callOf(request, response, gateway.basePath));
    write(request, response, reply);
  };
}

function callOf(request: IncomingMessage, response: ServerResponse, basePath: string): Call {
  const url = request.url ?? "/";
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  let signal: AbortSignal | undefined;
  return {
    method: request.method ?? "GET",
    path: pathBelow(basePath, path),
    // Few requests need these two.
    get query() {
      return new URLSearchParams(at === -1 ? "" : url.slice(at));
    },
    get signal() {
      return (signal ??= hangUpOf(response));
    },
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: async (limits) => await readNodeBody(request, limits),
  };
}

/** Aborts when the client hangs up, or has done so. */
function hangUpOf(response: ServerResponse): AbortSignal {
  const aborting = new AbortController();
  if (isGone(response)) aborting.abort();
  response.once("close", () => {
    if (!response.writableEnded) aborting.abort();
  });
  return aborting.signal;
}

function isGone({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket?.destroyed === true;
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers, onUndelivered }: Reply,
): void {
  if (isGone(response)) return onUndelivered?.();
  // The rest of a body that was refused is not read.
  const rest = request.complete ? undefined : { connection: "close" };
  response.writeHead(status, { ...commonHeaders, "content-length": Buffer.byteLength(body), ...headers, ...rest });
  response.end(request.method === "HEAD" ? undefined : body);
}
