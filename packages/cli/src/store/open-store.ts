import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StateAdapter } from "chainwright";
import type { ErasedClient } from "chainwright/adapter";
import type { Surroundings } from "../surroundings.ts";
import { Refusal, UsageError } from "../usage-error.ts";
import { loadConfig, usualConfig, type CliConfig } from "./config.ts";
import { isBehindPooler } from "./is-behind-pooler.ts";
import { describeStore, readStoreUrl, type StoreUrl } from "./store-url.ts";

/** A store that a command uses. */
export interface OpenedStore {
  readonly client: ErasedClient;
  readonly stateAdapter: Pick<StateAdapter, "migrate" | "schema">;
  /** The configuration that names it, if one does. */
  readonly config: CliConfig | undefined;
  /** For people, without a password. */
  readonly name: string;
  readonly source: StoreUrl | undefined;
  /** Runs a statement, on Postgres by URL. */
  readonly query: Query | undefined;
  /** On Postgres by URL. */
  readonly isPooled: (() => Promise<boolean>) | undefined;
  close(): Promise<void>;
}

/** Runs a read and returns its rows. It gives up after some seconds. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
export type Row = Readonly<Record<string, unknown>>;

/** How a command names its store. */
export interface StoreOptions {
  readonly store?: string | undefined;
  readonly config?: string | undefined;
}

/** How a command uses its store. */
export interface OpenOptions {
  /** What it does with an SQLite file or a journal that does not exist. Default: refuse. */
  readonly creates?: "the file" | "in memory" | undefined;
  /**
   * Whether it makes the same calls over and over, so that preparing them on Postgres is worth it. Other commands prepare nothing: a pooler
   * may give the next one a connection on which the same statements are prepared, and its first call would fail.
   */
  readonly prepares?: boolean | undefined;
}

/** A store that does not respond is given up after this time. */
const connectTimeoutMs = 4_000;
const queryTimeoutMs = 5_000;

/** Opens the store that the options, a configuration or the environment name. Creates and migrates nothing. */
export async function openStore(
  options: StoreOptions,
  { env, folder }: Pick<Surroundings, "env" | "folder">,
  how: OpenOptions = {},
): Promise<OpenedStore> {
  if (options.store !== undefined && options.config !== undefined)
    throw new UsageError("--store and --config both name a store: leave one out");
  if (options.store !== undefined) return await openUrl(readStoreUrl(options.store, folder), how);
  const file = options.config === undefined ? usualConfig(folder) : resolve(folder, options.config);
  if (file !== undefined) return await openConfig(await loadConfig(file), file);
  const url = env["CHAINWRIGHT_STORE"] ?? env["CHAINWRIGHT_POSTGRES_URL"];
  if (url !== undefined) return await openUrl(readStoreUrl(url, folder), how);
  throw new UsageError(
    "name a store: --store postgres://..., sqlite:./jobs.db or journal:./jobs, a chainwright.config.ts, or CHAINWRIGHT_STORE",
  );
}

async function openConfig(config: CliConfig, file: string): Promise<OpenedStore> {
  const { client, stateAdapter } = config;
  const { isErasedClient } = await import("chainwright/adapter");
  if (!isErasedClient(client)) throw new UsageError(`client of ${file} must be a value that createClient returned`);
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
    await config.close?.();
  };
  return { client, stateAdapter, config, name: file, source: undefined, query: undefined, isPooled: undefined, close };
}

async function openUrl(store: StoreUrl, { creates, prepares = false }: OpenOptions): Promise<OpenedStore> {
  switch (store.kind) {
    case "sqlite":
      return await openSqlite(store, creates);
    case "journal":
      return await openJournal(store, creates);
    case "postgres":
      return await openPostgres(store, prepares);
  }
}

async function openJournal(
  store: Extract<StoreUrl, { kind: "journal" }>,
  creates: OpenOptions["creates"],
): Promise<OpenedStore> {
  const { journal: folder } = store;
  const exists = existsSync(join(folder, "CURRENT"));
  if (creates === undefined && !exists)
    throw new Refusal("no-file", `there is no journal in ${folder}; \`chainwright migrate\` creates it`);
  const { createJournalStateAdapter } = await import("@chainwright/journal");
  const durability = creates === "in memory" && !exists ? "memory" : "full";
  const stateAdapter = await createJournalStateAdapter({ folder, durability });
  return await opened(stateAdapter, { source: store, closeDriver: async () => undefined, ...noServer });
}

async function openSqlite(
  store: Extract<StoreUrl, { kind: "sqlite" }>,
  creates: OpenOptions["creates"],
): Promise<OpenedStore> {
  const { file, tablePrefix } = store;
  const exists = existsSync(file);
  if (creates === undefined && !exists)
    throw new Refusal("no-file", `there is no file ${file}; \`chainwright migrate\` creates it`);
  const [{ createSqliteStateAdapter }, { nodeSqlite }] = await Promise.all([
    import("@chainwright/sqlite"),
    import("@chainwright/sqlite/node-sqlite"),
  ]);
  return await opened(
    createSqliteStateAdapter({
      driver: nodeSqlite(creates === "in memory" && !exists ? ":memory:" : file),
      tablePrefix,
    }),
    { source: store, closeDriver: async () => undefined, ...noServer },
  );
}

async function openPostgres(store: Extract<StoreUrl, { kind: "postgres" }>, prepare: boolean): Promise<OpenedStore> {
  const [{ Pool }, { createPostgresStateAdapter }, { pg }] = await Promise.all([
    import("pg"),
    import("@chainwright/postgres"),
    import("@chainwright/postgres/pg"),
  ]);
  const pool = new Pool({
    connectionString: store.url,
    max: 4,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "chainwright cli",
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  const query: Query = async (text, values = []) => {
    // The types of pg do not have the timeout of a single query, which pg has.
    const asked = { text, values: [...values], query_timeout: queryTimeoutMs };
    const { rows } = await pool.query<Record<string, unknown>>(asked);
    return rows;
  };
  // The first connection says whether there is a server: the library would wait for it for longer.
  try {
    await query("select 1");
  } catch (error) {
    await pool.end();
    throw error;
  }
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool, { prepare }), schema: store.schema });
  return await opened(stateAdapter, {
    source: store,
    closeDriver: async () => await pool.end(),
    query,
    isPooled: async () => await isBehindPooler(pool),
  });
}

const noServer = { query: undefined, isPooled: undefined };

/** A client needs one job type at least. */
interface AnyTypes {
  readonly any: { readonly entry: true; readonly input: null; readonly output: null };
}

async function opened<Tx>(
  stateAdapter: StateAdapter<Tx>,
  {
    source,
    closeDriver,
    query,
    isPooled,
  }: Pick<OpenedStore, "isPooled" | "query"> & { readonly source: StoreUrl; readonly closeDriver: () => Promise<void> },
): Promise<OpenedStore> {
  const { createClient, defineJobTypes } = await import("chainwright");
  const { isErasedClient } = await import("chainwright/adapter");
  // The application's job types are unknown here: at run time this definition accepts every type name.
  const client: unknown = createClient({ stateAdapter, jobTypes: defineJobTypes<AnyTypes>(), observers: [] });
  if (!isErasedClient(client)) throw new TypeError("a client must have the calls of the command line");
  const close = async (): Promise<void> => {
    await client.close();
    await stateAdapter.close();
    await closeDriver();
  };
  return { client, stateAdapter, config: undefined, name: describeStore(source), source, query, isPooled, close };
}
