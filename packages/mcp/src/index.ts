/**
 * Tools for agents, by the Model Context Protocol: they see and explain chains. Read-only by default; texts of jobs are marked as data.
 *
 * @module
 */
export { createMcpServer, type McpServer } from "./create-mcp-server.ts";
export type { McpAuditEntry, McpFailure, McpHttpOptions, McpServerOptions, McpStdioOptions } from "./options.ts";
