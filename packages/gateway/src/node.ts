/**
 * The gateway on node:http and frameworks built on it.
 *
 * @module
 */
export { createNodeListener } from "./http/node-listener.ts";
export { createNodeServer, type NodeServerLimits } from "./http/node-server.ts";
