import type { Role } from "@chainwright/dashboard";
import type { Reads } from "@chainwright/dashboard/reads";
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import type { Reply } from "./reply.ts";
import type { ErasedClient } from "chainwright/adapter";

/** What a tool uses. */
export interface ToolContext {
  readonly client: ErasedClient;
  /** The reads of the one who calls. */
  readonly reads: Reads;
}

/** A tool: what it is told to be, and what it does. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Set for a tool that changes chains: the least role that may call it. */
  readonly needs: Role | undefined;
  /** Runs it with arguments that the schema has not seen yet. */
  readonly run: (context: ToolContext, given: unknown) => Promise<Reply>;
}

/** The arguments do not match the schema. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

/** A tool whose arguments are checked by its schema before it runs. */
export function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool, "schema" | "run"> & {
    readonly schema: Schema;
    readonly run: (context: ToolContext, given: z.output<Schema>) => Promise<Reply>;
  },
): Tool {
  return { ...tool, run: async (context, given) => await tool.run(context, checked(tool.schema, given)) };
}

/** The error names the place, and never the value. */
function checked<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given ?? {});
  if (result.success) return result.data;
  const names = result.error.issues.map(({ path }) => String(path[0] ?? "")).filter((name) => name !== "");
  const what = names.length === 0 ? "The arguments are" : `The argument ${[...new Set(names)].join(", ")} is`;
  throw new InvalidArguments(`${what} not valid; see the schema of the tool.`);
}
