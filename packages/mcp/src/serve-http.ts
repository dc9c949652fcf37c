import type { Principal } from "@chainwright/dashboard";
import { readJson, refusalOf, refuseOtherOrigins, senderOf } from "@chainwright/dashboard/reads";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { McpHttpOptions } from "./options.ts";

/** Serves requests of agents. Each is complete in itself, so that any process behind a balancer can take the next one. */
export function serveHttp(
  create: (sender: Principal, request: Request) => McpServer,
  { authorize, hosts, origins }: McpHttpOptions,
  failure: (error: unknown, where: string) => string,
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      refuseOtherOrigins(request, origins);
      const sender = await senderOf(request, { authorize, hosts });
      if (sender instanceof Response) return sender;
      if (sender === null) return refused(401, "Please sign in.");
      if (request.method !== "POST") return refused(405, "Send POST.", { allow: "POST" });
      const body = await readJson(request);
      if (Array.isArray(body)) return refused(400, "Send one message in each request.");
      return await reply(create(sender, request), request, body);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) return refused(refusal.status, refusal.message);
      return refused(500, `Something went wrong. The server's log has it under ${failure(error, "http")}.`);
    }
  };
}

async function reply(session: McpServer, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await session.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await session.close();
  }
}

/** Says why, as the protocol's errors do that belong to no message. */
function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const error = { code: -32_000, message };
  return Response.json(
    { jsonrpc: "2.0", error, id: null },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
