/**
 * The dashboard on node:http, and on what stands on it.
 *
 * @module
 */
import { getRequestListener } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dashboard } from "./create-dashboard.ts";

/**
 * A dashboard as a listener of node:http, and so for Express, Fastify and whatever else stands on it.
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
