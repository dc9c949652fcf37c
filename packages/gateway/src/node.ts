/**
 * The gateway on node:http and frameworks built on it.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "./create-gateway.ts";
import { pathBelow } from "./http/base-path.ts";
import { commonHeaders, type Call, type Reply } from "./http/message.ts";
import { readBody } from "./http/read-body.ts";

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
    const aborting = new AbortController();
    const onClose = (): void => {
      if (!response.writableEnded) aborting.abort();
    };
    response.once("close", onClose);
    const reply = await gateway.handle(callOf(request, gateway.basePath, aborting.signal));
    write(request, response, reply);
  };
}

function callOf(request: IncomingMessage, basePath: string, signal: AbortSignal): Call {
  const url = request.url ?? "/";
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  return {
    method: request.method ?? "GET",
    path: pathBelow(basePath, path),
    query: new URLSearchParams(at === -1 ? "" : url.slice(at)),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: async (limits) => await readBody(request, limits),
    signal,
  };
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers, onUndelivered }: Reply,
): void {
  if (response.destroyed || response.socket?.destroyed === true) return onUndelivered?.();
  // The rest of a body that was refused is not read.
  const rest = request.complete ? undefined : { connection: "close" };
  response.writeHead(status, { ...commonHeaders, "content-length": Buffer.byteLength(body), ...headers, ...rest });
  response.end(request.method === "HEAD" ? undefined : body);
}
