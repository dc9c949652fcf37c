import type { Client } from "@modelcontextprotocol/sdk/client/index.js";

/** A reply as an agent reads it. */
export interface Read {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Calls a tool and reads its one text. */
export async function ask(agent: Client, name: string, given: Record<string, unknown> = {}): Promise<Read> {
  const { content, isError } = await agent.callTool({ name, arguments: given });
  const [first, ...others] = content as readonly { type: string; text: string }[];
  if (first === undefined || others.length > 0) throw new Error("a reply must have one text");
  return { isError: isError === true, text: first.text, value: JSON.parse(first.text) as Read["value"] };
}

/** A reply without what jobs have written. */
export function outside({ value }: Read): string {
  return JSON.stringify({ ...value, untrusted: undefined });
}
