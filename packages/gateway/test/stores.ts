import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createInProcessStateAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { Pool } from "pg";
import { afterEach, describe } from "vitest";
import { createStage, type Stage, type StageOptions } from "./stage.ts";

/** A store of its own for a test. */
export interface TestStore {
  readonly stateAdapter: StateAdapter;
  close(): Promise<void>;
}

const postgresUrl = await findBackend("postgres");
let made = 0;

async function inProcessStore(): Promise<TestStore> {
  const stateAdapter = createInProcessStateAdapter();
  return { stateAdapter, close: () => stateAdapter.close() };
}

async function sqliteStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-gateway-"));
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(join(folder, "jobs.db")) });
  await stateAdapter.migrate();
  return {
    stateAdapter,
    async close() {
      await stateAdapter.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function postgresStore(): Promise<TestStore> {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  const schema = `gateway_${process.pid}_${made++}`;
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  await stateAdapter.migrate();
  return {
    stateAdapter,
    async close() {
      await stateAdapter.close();
      await pool.query(`drop schema if exists "${schema}" cascade`);
      await pool.end();
    },
  };
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
