import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { emptyingSchemaOn } from "@chainwright/backends/empty-schema";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createInProcessStateAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { Pool } from "pg";
import { afterAll, afterEach, describe } from "vitest";
import { createStage, type Stage, type StageOptions } from "./stage.ts";

/** A store of its own for a test. */
export interface TestStore {
  readonly stateAdapter: StateAdapter;
  close(): Promise<void>;
}

const postgresUrl = await findBackend("postgres");

/** Of a migration, which takes longer than most tests: a file that tests take copies of, and schemas that they take in turn. */
const folder = mkdtempSync(join(tmpdir(), "chainwright-gateway-"));
const migratedFile = migrateFile(join(folder, "migrated.db"));
const freeSchemas: { readonly schema: string; readonly emptying: string }[] = [];
const schemas: string[] = [];
let files = 0;

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (schemas.length === 0) return;
  const pool = new Pool({ connectionString: postgresUrl, max: 1 });
  for (const schema of schemas) await pool.query(`drop schema if exists "${schema}" cascade`);
  await pool.end();
});

async function inProcessStore(): Promise<TestStore> {
  const stateAdapter = createInProcessStateAdapter();
  return { stateAdapter, close: () => stateAdapter.close() };
}

async function migrateFile(path: string): Promise<string> {
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(path) });
  await stateAdapter.migrate();
  await stateAdapter.close();
  return path;
}

async function sqliteStore(): Promise<TestStore> {
  const path = join(folder, `${files++}.db`);
  copyFileSync(await migratedFile, path);
  const database = new DatabaseSync(path);
  database.exec("update chainwright_meta set value = lower(hex(randomblob(16))) where key = 'store_id'");
  database.close();
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(path) });
  return { stateAdapter, close: () => stateAdapter.close() };
}

async function postgresStore(): Promise<TestStore> {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  const taken = freeSchemas.pop() ?? (await migrateSchema(pool));
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema: taken.schema });
  return {
    stateAdapter,
    async close() {
      await stateAdapter.close();
      await pool.query(taken.emptying);
      freeSchemas.push(taken);
      await pool.end();
    },
  };
}

async function migrateSchema(pool: Pool) {
  const schema = `gateway_${process.pid}_${schemas.length}`;
  schemas.push(schema);
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await stateAdapter.migrate();
  await stateAdapter.close();
  return { schema, emptying: await emptyingSchemaOn(pool, schema) };
}

export const stores = [
  { name: "the in-process store", make: inProcessStore, isMissing: false },
  { name: "SQLite", make: sqliteStore, isMissing: false },
  { name: "Postgres", make: postgresStore, isMissing: postgresUrl === undefined },
];

/** Makes stages that end with the test, on one store for each test. */
function stagesOn(make: () => Promise<TestStore>) {
  let own: TestStore | undefined;
  const open: Stage[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    await own?.close();
    own = undefined;
  });
  return async (options: Omit<StageOptions, "stateAdapter"> & { readonly wrap?: Wrap } = {}): Promise<Stage> => {
    const { wrap = (adapter) => adapter, ...rest } = options;
    own ??= await make();
    const stage = createStage({ stateAdapter: wrap(own.stateAdapter), ...rest });
    open.push(stage);
    return stage;
  };
}

export type MakeStage = ReturnType<typeof stagesOn>;

/** Registers tests for gateways on each kind of store. */
export function onEachStore(body: (stage: MakeStage) => void): void {
  for (const { name, make, isMissing } of stores)
    describe.skipIf(isMissing)(`a gateway on ${name}`, () => {
      body(stagesOn(make));
    });
}

/** Puts something between the gateway and its store. */
type Wrap = (adapter: StateAdapter) => StateAdapter;
