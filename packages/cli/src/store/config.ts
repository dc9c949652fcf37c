import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyClient, Processors, StateAdapter, WorkerOptions } from "chainwright";
import { UsageError } from "../usage-error.ts";

/**
 * The default export of `chainwright.config.ts`: this value, or a function that returns it or a promise of it.
 *
 * @example
 * const config: CliConfig = { client, stateAdapter, processors: [orderProcessors, mailProcessors] };
 * const open = async (): Promise<CliConfig> => config; // the default export may be this function too
 */
export interface CliConfig {
  readonly client: AnyClient;
  /** For `migrate`, and closed when the command ends. */
  readonly stateAdapter: Pick<StateAdapter, "migrate" | "schema" | "close">;
  /** For `check`, `types` and `dev`. */
  readonly processors?: readonly Processors[] | undefined;
  /** The options of the worker of `dev`. */
  readonly worker?: Omit<WorkerOptions, "name"> | undefined;
  /** Job types whose workers belong to other programs, for `check`. */
  readonly servedElsewhere?: readonly string[] | undefined;
  /** Closes what the configuration opened, such as a pool. */
  readonly close?: (() => Promise<void>) | undefined;
}

const usualNames = ["chainwright.config.ts", "chainwright.config.mjs", "chainwright.config.js"];

/** The configuration of a folder, if it has one. */
export function usualConfig(folder: string): string | undefined {
  return usualNames.map((name) => resolve(folder, name)).find((file) => existsSync(file));
}

/** Loads a configuration. */
export async function loadConfig(file: string): Promise<CliConfig> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  const loaded: unknown = await importFile(file);
  const exported: unknown = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, "default") : undefined;
  const config: unknown = isFunction(exported) ? await exported() : exported;
  if (isConfig(config)) return config;
  throw new UsageError(
    `${file} must have a default export with client and stateAdapter, or a function that returns them`,
  );
}

async function importFile(file: string): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_UNKNOWN_FILE_EXTENSION")
      throw new UsageError(
        `this Node does not run ${file}: use Node 22.18 or newer, or write it as chainwright.config.mjs`,
      );
    throw error;
  }
}

function isConfig(config: unknown): config is CliConfig {
  if (typeof config !== "object" || config === null || !("client" in config) || !("stateAdapter" in config))
    return false;
  return typeof config.client === "object" && typeof config.stateAdapter === "object" && config.stateAdapter !== null;
}

function isFunction(value: unknown): value is () => unknown {
  return typeof value === "function";
}
