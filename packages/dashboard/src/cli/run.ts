import { redactKeys } from "../redact-keys.ts";
import { readArguments, usage, type Arguments } from "./arguments.ts";
import { openClient } from "./open-client.ts";
import { serve } from "./serve.ts";

/** What the program uses of its process. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Resolves when the program has to end. */
  readonly untilStopped: () => Promise<void>;
}

/** Runs the program and returns its exit code. */
export async function run(surroundings: Surroundings): Promise<number> {
  const { args, env, print, complain } = surroundings;
  try {
    const asked = readArguments(args, env);
    if (asked === undefined) print(usage);
    else await serveUntilStopped(asked, surroundings);
    return 0;
  } catch (error) {
    complain(`chainwright-dashboard: ${error instanceof Error ? error.message : String(error)}`);
    complain("Try --help.");
    return 1;
  }
}

async function serveUntilStopped(asked: Arguments, { print, untilStopped }: Surroundings): Promise<void> {
  const { client, close } = await openClient(asked.store);
  try {
    const { port, role, redactedKeys } = asked;
    const redact = redactedKeys.length === 0 ? undefined : redactKeys(redactedKeys);
    const served = await serve({ client, port, role, redact });
    print(`Open this link to sign in; it works once:\n\n  ${served.link}\n\nPress Ctrl-C to stop the dashboard.`);
    await untilStopped();
    await served.close();
  } finally {
    await close();
  }
}
