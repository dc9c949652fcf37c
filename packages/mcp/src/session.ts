import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { refusalOf } from "@chainwright/dashboard/reads";
import { z } from "zod";
import { callTool, toolsOf, type Caller } from "./call-tool.ts";
import { shownChain } from "./chain-reply.ts";
import { packageVersion } from "./package-version.ts";
import { note, textOfReply } from "./reply.ts";

const chainUri = /^chainwright:\/\/chain\/([0-9a-f-]{36})$/i;
const mimeType = "application/json";
const longestClientName = 200;
const about = {
  name: "chainwright",
  title: "Chainwright",
  version: packageVersion,
};

/** Runs work that a closing server waits for. */
export type Track = <T>(work: Promise<T>) => Promise<T>;

/** One agent's server: what it lists and what it does depend on who calls. */
export function createSession(caller: Omit<Caller, "clientName">, track: Track, userAgent?: string): McpServer {
  const session = new McpServer(about, {
    capabilities: { tools: {}, resources: {} },
    instructions: `Chains are background jobs that follow each other in a durable store. ${note}`,
  });
  const { server } = session;
  const clientName = (): string | undefined =>
    (server.getClientVersion()?.name ?? userAgent)?.slice(0, longestClientName);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: toolsOf(caller).map(({ name, description, schema, annotations }) => ({
      name,
      description,
      annotations,
      inputSchema: { ...z.toJSONSchema(schema, { io: "input" }), type: "object" as const },
    })),
  }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }) => await track(callTool({ ...caller, clientName }, params.name, params.arguments)),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { name: "chain", title: "A chain", uriTemplate: "chainwright://chain/{id}", mimeType, description: note },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const text = await track(readChain(caller, uri));
    return { contents: [{ uri, mimeType, text }] };
  });
  return session;
}

async function readChain({ reads, failure }: Omit<Caller, "clientName">, uri: string): Promise<string> {
  const id = chainUri.exec(uri)?.[1];
  if (id === undefined) throw new McpError(ErrorCode.InvalidParams, "The address must be chainwright://chain/{id}.");
  try {
    return textOfReply(await shownChain(reads, id));
  } catch (error) {
    if (refusalOf(error) !== undefined)
      throw new McpError(ErrorCode.InvalidParams, "There is no chain with this id.", { code: refusalOf(error)?.code });
    throw new McpError(ErrorCode.InternalError, "Something went wrong.", { id: failure(error, "resource") });
  }
}
