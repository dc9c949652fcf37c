import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AnyClient, Client, Processors, StateAdapter, WorkerOptions } from "chainwright";
import { isErasedClient, type AnyEnv } from "chainwright/adapter";
import type { Call } from "../call.ts";
import { usualConfig } from "../store/config.ts";
import { UsageError } from "../usage-error.ts";
import { createSample } from "./sample.ts";

/** What a development server runs. */
export interface Development {
  readonly client: AnyClient;
  /** The same client, as a worker takes it. */
  readonly forWorker: Client<AnyEnv>;
  readonly processors: readonly Processors[];
  readonly workerOptions: WorkerOptions;
  /** For people. */
  readonly store: string;
  /** What is done once everything runs. */
  begin(): Promise<void>;
}

const keptFile = ".chainwright/jobs.db";

/** Opens and migrates the store of the configuration; without one a store of its own with a sample. */
export async function openDevelopment(
  call: Call,
  { keep }: { readonly keep?: true | undefined },
): Promise<Development> {
  const { surroundings, storeOptions } = call;
  if (storeOptions.store !== undefined)
    throw new UsageError("dev has a store of its own: to use another one, name it in a chainwright.config.ts");
  if (storeOptions.config !== undefined || usualConfig(surroundings.folder) !== undefined)
    return await openConfigured(call);
  return keep === true ? await openKept(call, resolve(surroundings.folder, keptFile)) : await openInProcess(call);
}

async function openConfigured(call: Call): Promise<Development> {
  const { config, name, stateAdapter, client } = await call.open({ prepares: true });
  await stateAdapter.migrate();
  const { processors = [], worker = {} } = config ?? {};
  return {
    client,
    forWorker: asWorkers(client),
    processors,
    workerOptions: worker,
    store: name,
    begin: async () => undefined,
  };
}

async function openKept(call: Call, file: string): Promise<Development> {
  mkdirSync(dirname(file), { recursive: true });
  const [{ createSqliteStateAdapter }, { nodeSqlite }] = await Promise.all([
    import("@chainwright/sqlite"),
    import("@chainwright/sqlite/node-sqlite"),
  ]);
  return await withSample(call, createSqliteStateAdapter({ driver: nodeSqlite(file) }), `sqlite:${keptFile}`);
}

async function openInProcess(call: Call): Promise<Development> {
  const { createInProcessStateAdapter } = await import("chainwright");
  return await withSample(call, createInProcessStateAdapter(), "in memory; --keep keeps it in a file");
}

async function withSample<Tx>(call: Call, stateAdapter: StateAdapter<Tx>, store: string): Promise<Development> {
  call.untilEnd(stateAdapter.close);
  await stateAdapter.migrate();
  const { client, processors, begin } = await createSample(stateAdapter);
  call.untilEnd(client.close);
  return { client, forWorker: asWorkers(client), processors: [processors], workerOptions: {}, store, begin };
}

/** A worker takes a client of any types: its processors were checked against them where they were made. */
function asWorkers(client: unknown): Client<AnyEnv> {
  if (isClient(client)) return client;
  throw new TypeError("client must be a value that createClient returned");
}

function isClient(client: unknown): client is Client<AnyEnv> {
  return isErasedClient(client);
}
