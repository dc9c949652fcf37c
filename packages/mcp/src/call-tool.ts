import type { Principal, Role } from "@chainwright/dashboard";
import { refusalOf } from "@chainwright/dashboard/reads";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { McpAuditEntry } from "./options.ts";
import { readTools } from "./read-tools.ts";
import { errorResult, resultOf, type Reply, type ToolError } from "./reply.ts";
import { InvalidArguments, type Tool, type ToolContext } from "./tool.ts";
import type { WriteBudget } from "./write-budget.ts";
import { writeTools } from "./write-tools.ts";

/** Who calls, and what is open to them. */
export interface Caller extends ToolContext {
  readonly principal: Principal;
  /** What the agent's program calls itself. */
  readonly clientName: () => string | undefined;
  readonly allowWrites: boolean;
  readonly mayWrite: WriteBudget;
  readonly audit: ((entry: McpAuditEntry) => void | Promise<void>) | undefined;
  /** Reports a failure and returns its id. */
  readonly failure: (error: unknown, where: string) => string;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };
const toolsByName = new Map([...readTools, ...writeTools].map((tool) => [tool.name, tool]));

/** The sentence for each code that agents meet; what the library says itself is beside it, as data. */
const sentences: Readonly<Record<string, string>> = {
  "chain-not-found": "There is no chain with this id.",
  "job-not-found": "There is no job with this id.",
  "chain-not-active": "The chain has ended already.",
  "chain-not-retryable": "Only a chain that failed or was cancelled can be retried.",
  "job-not-scheduled": "Only a scheduled job can be triggered.",
  "unknown-job-type": "The server knows no such job type.",
  "invalid-input": "The input does not fit the job type.",
};

/** The tools that one who calls may use. */
export function toolsOf({ allowWrites, principal }: Pick<Caller, "allowWrites" | "principal">): readonly Tool[] {
  if (!allowWrites) return readTools;
  return [...readTools, ...writeTools.filter(({ needs }) => needs === undefined || isAtLeast(principal.role, needs))];
}

/** Calls a tool. Every error is a result, so that the agent can read it. */
export async function callTool(caller: Caller, name: string, given: unknown): Promise<CallToolResult> {
  const tool = toolsByName.get(name);
  if (tool === undefined) return errorResult({ code: "unknown-tool", message: "There is no such tool." });
  if (tool.needs === undefined) {
    const tried = await attempt(caller, tool, given);
    return "reply" in tried ? resultOf(tried.reply) : errorResult(tried.error);
  }
  const tried = refusedWrite(caller, tool.needs) ?? (await attempt(caller, tool, given));
  const isAudited = await tell(caller, entryOf(caller, { tool: name, given, tried }));
  if ("error" in tried) return errorResult(tried.error);
  caller.reads.lookSoon();
  return resultOf({ ...tried.reply, facts: { ...tried.reply.facts, isAudited } });
}

/** How a call ended. */
type Tried = { readonly reply: Reply } | { readonly error: ToolError };

function refusedWrite({ allowWrites, principal, mayWrite }: Caller, needs: Role): Tried | undefined {
  if (!allowWrites)
    return { error: { code: "read-only", message: "This server only reads: its owner has not allowed changes." } };
  if (!isAtLeast(principal.role, needs))
    return { error: { code: "forbidden", message: `This needs the role ${needs}; yours is ${principal.role}.` } };
  if (mayWrite()) return undefined;
  return {
    error: {
      code: "too-many-writes",
      message: "Too many changes in this minute. Wait, and ask a person whether to go on.",
    },
  };
}

async function attempt(caller: Caller, tool: Tool, given: unknown): Promise<Tried> {
  try {
    return { reply: await tool.run(caller, given) };
  } catch (error) {
    if (error instanceof InvalidArguments) return { error: { code: "invalid-arguments", message: error.message } };
    const refusal = refusalOf(error);
    if (refusal === undefined) {
      const id = caller.failure(error, tool.name);
      return { error: { code: "failed", message: "Something went wrong. The server's log has it under this id.", id } };
    }
    const { code, message } = refusal;
    return { error: { code, message: sentences[code] ?? "This was refused.", detail: message } };
  }
}

function entryOf(
  { principal, clientName }: Caller,
  { tool, given, tried }: { readonly tool: string; readonly given: unknown; readonly tried: Tried },
): McpAuditEntry {
  const code = "error" in tried ? tried.error.code : undefined;
  return {
    at: new Date(),
    tool,
    arguments: given,
    role: principal.role,
    name: principal.name,
    client: clientName(),
    outcome: code === undefined ? "done" : code === "failed" ? "failed" : "refused",
    code,
  };
}

/** Returns whether the entry was taken. What is done is done, so an audit that fails does not make it an error. */
async function tell({ audit, failure }: Caller, entry: McpAuditEntry): Promise<boolean> {
  try {
    await audit?.(entry);
    return true;
  } catch (error) {
    failure(error, "audit");
    return false;
  }
}

function isAtLeast(role: Role, needed: Role): boolean {
  return ranks[role] >= ranks[needed];
}
