import type { Principal } from "@chainwright/dashboard";
import { createReads } from "@chainwright/dashboard/reads";
import { ChainwrightError } from "chainwright";
import { checkKeys, isErasedClient } from "chainwright/adapter";
import type { McpFailure, McpHttpOptions, McpServerOptions, McpStdioOptions } from "./options.ts";
import { createSession, type Track } from "./session.ts";
import { serveHttp } from "./serve-http.ts";
import { serveStdio } from "./serve-stdio.ts";
import { createWriteBudget } from "./write-budget.ts";

/**
 * Tools for agents over one client.
 *
 * @example
 * const serve = (mcp: McpServer) => app.all("/mcp", ({ req }) => mcp.fetch({ authorize })(req.raw));
 * serve(createMcpServer({ client }));
 */
export interface McpServer {
  /** Serves the program that started this one, until it closes its end. */
  stdio(options?: McpStdioOptions): Promise<void>;
  /** Returns a function that serves agents over HTTP: a handler for any framework that uses the web's `Request` and `Response`. */
  fetch(options: McpHttpOptions): (request: Request) => Promise<Response>;
}

const optionKeys = {
  client: true,
  redact: true,
  allowWrites: true,
  writesPerMinute: true,
  audit: true,
  onError: true,
} satisfies Record<keyof McpServerOptions, true>;

const usualWrites = 10;
/** Payloads are cut when they are shown; one that is larger is told by its size only. */
const mostInlineBytes = 1_048_576;
const atOnce: Track = async (work) => await work;

/**
 * Creates a server of tools for agents, by the Model Context Protocol. Without `allowWrites` its tools only read. What jobs have written is
 * after `redact`, cut at 4 kB, and in a field `untrusted`.
 *
 * @throws ChainwrightError `invalid-input` for unknown or invalid options
 * @example
 * const mcp = createMcpServer({ client, redact: redactKeys(["password"]) });
 * app.all("/mcp", ({ req }) => mcp.fetch({ authorize })(req.raw)); // Hono
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  checkKeys(options, optionKeys, "createMcpServer");
  const { client, redact, allowWrites = false, writesPerMinute = usualWrites, audit, onError = logFailure } = options;
  if (!Number.isInteger(writesPerMinute) || writesPerMinute < 1) {
    throw new ChainwrightError("invalid-input", `writesPerMinute must be a positive integer; got ${writesPerMinute}.`);
  }
  if (!isErasedClient(client)) {
    throw new ChainwrightError("invalid-input", "client must be a value that createClient returned.");
  }
  const failure = (error: unknown, where: string): string => {
    const id = crypto.randomUUID();
    try {
      onError({ id, where, error });
    } catch {
      // A failing log must not change the reply.
    }
    return id;
  };
  const readsOf = createReads({ client, redact, mostInlineBytes, onFailure: failure });
  const mayWrite = createWriteBudget(writesPerMinute, () => performance.now());
  const sessionOf = (principal: Principal, track: Track, userAgent?: string) =>
    createSession(
      { client, reads: readsOf(principal), principal, allowWrites, mayWrite, audit, failure },
      track,
      userAgent,
    );

  return {
    stdio: async (stdio = {}) => {
      const { role = "admin", name } = stdio;
      await serveStdio((track) => sessionOf({ role, name }, track), stdio);
    },
    fetch: (http) => {
      if (typeof http?.authorize !== "function") {
        throw new ChainwrightError(
          "invalid-input",
          "authorize must be a function that returns who sent a request, or null.",
        );
      }
      const create = (sender: Principal, request: Request) =>
        sessionOf(sender, atOnce, request.headers.get("user-agent") ?? undefined);
      return serveHttp(create, http, failure);
    },
  };
}

/** Standard output is the protocol's, so failures go to standard error. */
function logFailure({ id, where, error }: McpFailure): void {
  process.stderr.write(`chainwright-mcp: ${where} failed (${id}): ${String(error)}\n`);
}
