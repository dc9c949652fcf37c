import { createServer, type Server } from "node:http";
import { checkInteger, checkKeys } from "chainwright/adapter";
import type { Gateway } from "../create-gateway.ts";
import { createNodeListener } from "./node-listener.ts";

/**
 * The limits of a server's connections. The limits of bodies are the gateway's: see `GatewayLimits`.
 *
 * @example
 * const limits: NodeServerLimits = { headMs: 5_000, connections: 1_000 };
 */
export interface NodeServerLimits {
  /** The most bytes of a request's line and headers; more is 431. Default: 16 KiB. */
  readonly headBytes?: number | undefined;
  /** How long a connection may take to send a head, the first one since it was opened; later is 408. Default: 30 s. */
  readonly headMs?: number | undefined;
  /** How long a connection may stay open between two requests. Default: 5 s. */
  readonly keepAliveMs?: number | undefined;
  /** How long nothing may move on a connection: for clients that do not read. Default: 2 minutes, above the 30 s that requests may wait. */
  readonly idleMs?: number | undefined;
  /** The most connections; more are closed at once. Default: 12,000, above the 10,000 requests that may wait. */
  readonly connections?: number | undefined;
}

const defaults = {
  headBytes: 16_384,
  headMs: 30_000,
  keepAliveMs: 5_000,
  idleMs: 120_000,
  connections: 12_000,
} satisfies Record<keyof NodeServerLimits, number>;

const limitKeys = {
  headBytes: true,
  headMs: true,
  keepAliveMs: true,
  idleMs: true,
  connections: true,
} satisfies Record<keyof NodeServerLimits, true>;

/** node:http looks for late heads from time to time: so often in the time of one head, and at least every 5 s. */
const looksInHeadMs = 4;
const longestLookMs = 5_000;

/**
 * Returns a gateway as a server of node:http with limits against clients that are slow, or that open connections and send nothing.
 * A server of your own that listens by `createNodeListener` has the limits of node:http: no most connections, and a minute for a head.
 *
 * @throws ChainwrightError `invalid-input` for unknown or invalid limits
 *
 * @example
 * import { createNodeServer } from "@chainwright/gateway/node";
 *
 * createNodeServer(gateway, { connections: 1_000 }).listen(8080);
 */
export function createNodeServer(gateway: Gateway, limits: NodeServerLimits = {}): Server {
  const { headBytes, headMs, keepAliveMs, idleMs, connections } = checked(limits);
  const listener = createNodeListener(gateway);
  const server = createServer(
    {
      maxHeaderSize: headBytes,
      headersTimeout: headMs,
      // The gateway answers a body that is late, by its own limit; this one would begin with the head.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(Math.ceil(headMs / looksInHeadMs), longestLookMs),
    },
    (request, response) => void listener(request, response),
  );
  server.maxConnections = connections;
  server.timeout = idleMs;
  return server;
}

function checked(given: NodeServerLimits): Record<keyof NodeServerLimits, number> {
  checkKeys(given, limitKeys, "limits");
  const of = (key: keyof NodeServerLimits): number =>
    checkInteger(given[key] ?? defaults[key], key, { min: 1, max: 2 ** 31 - 1 });
  return {
    headBytes: of("headBytes"),
    headMs: of("headMs"),
    keepAliveMs: of("keepAliveMs"),
    idleMs: of("idleMs"),
    connections: of("connections"),
  };
}
