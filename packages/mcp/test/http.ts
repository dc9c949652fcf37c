import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpHttpOptions, McpServerOptions } from "../src/options.ts";
import { createMcpServer } from "../src/create-mcp-server.ts";

/** The SDK's own client on a server, through its HTTP handler. */
export async function agentOf(options: McpServerOptions, http: Partial<McpHttpOptions> = {}): Promise<Client> {
  const serve = createMcpServer(options).fetch({ authorize: () => ({ role: "admin", name: "Ada" }), ...http });
  const agent = new Client({ name: "test agent", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: async (url, init) => await serve(new Request(url, init)),
  });
  await agent.connect(transport);
  return agent;
}
