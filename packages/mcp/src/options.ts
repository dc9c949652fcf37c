import type { Authorize, Redact, Role } from "@chainwright/dashboard";
import type { AnyClient } from "chainwright";
import type { Readable, Writable } from "node:stream";

/**
 * Options of `createMcpServer`.
 *
 * @example
 * const options: McpServerOptions = {
 *   client,
 *   redact: redactKeys(["password", /token$/i]),
 *   allowWrites: true,
 *   audit: async ({ tool, name, outcome }) => await auditLog.write(`${name}: ${tool} ${outcome}`),
 * };
 * const mcp = createMcpServer(options);
 */
export interface McpServerOptions {
  readonly client: AnyClient;
  /** Hides values, as in the dashboard. If it throws, the whole value is hidden. */
  readonly redact?: Redact | undefined;
  /** Whether the tools that change chains are offered, to those whose role permits them. Default: false. */
  readonly allowWrites?: boolean | undefined;
  /** How many changes are tried in a minute, for all agents together; further ones are refused. Default: 10. */
  readonly writesPerMinute?: number | undefined;
  /** Called for every attempt at a change once its outcome is known, also if it was refused. */
  readonly audit?: ((entry: McpAuditEntry) => void | Promise<void>) | undefined;
  /** Called for every internal failure, with the id that the agent was shown. Default: a line on standard error. */
  readonly onError?: ((failure: McpFailure) => void) | undefined;
}

/**
 * One attempt at a change.
 *
 * @example
 * const line = ({ at, client, tool, outcome }: McpAuditEntry) => `${at.toISOString()} ${client ?? "?"} ${tool} ${outcome}`;
 * const mcp = createMcpServer({ client, allowWrites: true, audit: async (entry) => await auditLog.write(line(entry)) });
 */
export interface McpAuditEntry {
  readonly at: Date;
  readonly tool: string;
  /** As the agent sent them, valid or not. */
  readonly arguments: unknown;
  readonly role: Role;
  /** The name that `authorize` or the options of `stdio` gave. */
  readonly name: string | undefined;
  /** What the agent's program calls itself. Over HTTP it is its header `User-Agent`. */
  readonly client: string | undefined;
  /** `failed`: the store failed, and the change was not made, or its reply was lost. */
  readonly outcome: "done" | "refused" | "failed";
  /** Why it was refused. */
  readonly code: string | undefined;
}

/**
 * An internal failure.
 *
 * @example
 * const onError = ({ id, where, error }: McpFailure) => logger.warn({ id, where, error });
 * const mcp = createMcpServer({ client, onError });
 */
export interface McpFailure {
  /** The id that the agent was shown. */
  readonly id: string;
  readonly where: string;
  readonly error: unknown;
}

/**
 * Options of `stdio`: the one who started the process is at its other end.
 *
 * @example
 * const options: McpStdioOptions = { role: "operator", name: "ada@example.com", signal: AbortSignal.timeout(3_600_000) };
 * await createMcpServer({ client, allowWrites: true }).stdio(options);
 */
export interface McpStdioOptions {
  /** Default: `admin`, who may do what `allowWrites` allows. */
  readonly role?: Role | undefined;
  /** Passed to `audit` and to `redact`. */
  readonly name?: string | undefined;
  /** Default: the standard input and output of the process. */
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
  /** Ends the server. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Options of `fetch`.
 *
 * @example
 * const options: McpHttpOptions = { authorize, hosts: ["jobs.example.com"] };
 * const serve = createMcpServer({ client }).fetch(options);
 */
export interface McpHttpOptions {
  /** As for the dashboard: who sent a request, `null` to refuse it, or a response of your own. Called first for every request. */
  readonly authorize: Authorize;
  /** The hosts by which the server is reached; requests with another header `Host` are refused. Default: any. */
  readonly hosts?: readonly string[] | undefined;
  /** The origins whose pages may send requests. Default: the one whose host was addressed. Programs send no origin. */
  readonly origins?: readonly string[] | undefined;
}
