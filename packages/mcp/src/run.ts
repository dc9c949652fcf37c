import { redactKeys, type Role } from "@chainwright/dashboard";
import { openClient, tellFailure } from "@chainwright/cli/store";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import { createMcpServer } from "./create-mcp-server.ts";

/** What the program uses of its process. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly input: Readable;
  readonly output: Writable;
  /** Writes messages for people; the output is the protocol's. */
  readonly complain: (text: string) => void;
  readonly signal: AbortSignal;
}

const help = `Usage: chainwright-mcp [options]

Tools for an agent over standard input and output: they see and explain chains.

  --store URL       postgres://user@host/database?schema=chainwright or sqlite:./jobs.db
  --config FILE     a module whose default export has client and stateAdapter
  --redact KEYS     hide the values of these keys in payloads and tags, separated by commas
  --allow-writes    offer the tools that retry, cancel, trigger and start
  --role ROLE       operator or admin (the default, which may also start); with --allow-writes
  --help            this text

The store is --store, else --config, else chainwright.config.ts in this folder, else CHAINWRIGHT_STORE or CHAINWRIGHT_POSTGRES_URL.
`;

const options = {
  store: { type: "string" },
  config: { type: "string" },
  redact: { type: "string" },
  "allow-writes": { type: "boolean" },
  role: { type: "string" },
  help: { type: "boolean" },
} as const;

/** Runs the program and returns its exit code. */
export async function run({ args, env, folder, input, output, complain, signal }: Surroundings): Promise<number> {
  const given = argumentsOf(args);
  if (given === undefined) {
    complain(help);
    return 2;
  }
  if (given.help === true) {
    output.write(help);
    return 0;
  }
  try {
    const { client, close } = await openClient({ store: given.store, config: given.config, folder, env });
    try {
      const redact = given.redact === undefined ? undefined : redactKeys(given.redact.split(","));
      const audit = (entry: object): void => complain(`${JSON.stringify(entry)}\n`);
      const mcp = createMcpServer({ client, redact, allowWrites: given["allow-writes"], audit });
      await mcp.stdio({ role: given.role, input, output, signal });
    } finally {
      await close();
    }
    return 0;
  } catch (error) {
    complain(tellFailure(error, [...args, ...Object.values(env)]));
    return 1;
  }
}

/** The arguments; undefined if they are not valid. */
function argumentsOf(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    const { role = "admin", ...others } = values;
    return isWriter(role) ? { ...others, role } : undefined;
  } catch {
    return undefined;
  }
}

function isWriter(role: string): role is Role {
  return role === "operator" || role === "admin";
}
