/**
 * The dashboard on node:http and frameworks built on it.
 *
 * @module
 */
import { getRequestListener } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dashboard } from "./create-dashboard.ts";

/**
 * Returns a dashboard as a node:http listener, for node:http, Express, Fastify and other frameworks built on it.
 *
 * @example
 * import { createNodeListener } from "@chainwright/dashboard/node";
 *
 * app.use("/jobs", createNodeListener(dashboard)); // before any body parser
 */
export function createNodeListener(
  dashboard: Dashboard,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return getRequestListener(dashboard.fetch, { overrideGlobalObjects: false });
}
