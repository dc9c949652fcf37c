import type { AnyClient } from "chainwright";
import { failureLine, failureOf } from "../failure.ts";
import { openStore } from "./open-store.ts";
import { secretsOf } from "./store-url.ts";

/**
 * How a program names its store: a URL, or a configuration.
 *
 * @example
 * const options: OpenClientOptions = { store: "sqlite:./jobs.db", folder: process.cwd(), env: process.env };
 * const { client } = await openClient(options);
 */
export interface OpenClientOptions {
  /** As the option `--store`. */
  readonly store?: string | undefined;
  /** As the option `--config`. */
  readonly config?: string | undefined;
  /** Where relative paths begin, and where a configuration is looked for. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A client, and what ends it with all that was opened for it.
 *
 * @example
 * const typesOf = async ({ client, close }: OpenedClient) => {
 *   const counts = await client.countJobs();
 *   await close();
 *   return Object.keys(counts);
 * };
 */
export interface OpenedClient {
  readonly client: AnyClient;
  close(): Promise<void>;
}

/**
 * Opens the store that the options, a configuration or the environment name, as `chainwright` does. Creates and migrates nothing.
 *
 * @example
 * const { client, close } = await openClient({ folder: process.cwd(), env: process.env });
 */
export async function openClient({ store, config, ...surroundings }: OpenClientOptions): Promise<OpenedClient> {
  const { client, close } = await openStore({ store, config }, surroundings);
  return { client, close };
}

/**
 * Returns an error as one line for people, without a stack and without the passwords in `texts`.
 *
 * @example
 * const { argv, env } = process;
 * const complain = (error: unknown) => process.stderr.write(tellFailure(error, [...argv, ...Object.values(env)]));
 */
export function tellFailure(error: unknown, texts: readonly (string | undefined)[]): string {
  return failureLine(failureOf(error, secretsOf(texts)), false);
}
