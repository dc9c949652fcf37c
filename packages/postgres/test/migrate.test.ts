import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { migrate } from "../src/migrate.ts";
import { migrations, releaseOf } from "../src/migrations.ts";
import { schemaOf } from "../src/schema.ts";
import { claim, completed, job } from "./jobs.ts";
import { migrateToNext } from "./next-release.ts";
import { startProgram } from "./program.ts";
import { scaled } from "./scale.ts";

const url = await findBackend("postgres");

describe("the schema of the Postgres state adapter", () => {
  const driver = pg(new Pool({ connectionString: "postgres://127.0.0.1:1/none" }));

  it.each(["", "a\0b", "\ud800", "x".repeat(64), "日".repeat(22)])("refuses %j as a name", (schema) => {
    expect(() => createPostgresStateAdapter({ driver, schema })).toThrow("schema");
  });

  it("refuses options that it does not have", () => {
    const misspelt = { driver, tablePrefix: "x" };
    expect(() => createPostgresStateAdapter(misspelt)).toThrow("tablePrefix");
  });
});

describe.skipIf(url === undefined)("the migration of a Postgres store", { timeout: 60_000 }, () => {
  let pool: Pool;
  const schemas = new Set<string>();
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

  const named = (name: string) => {
    schemas.add(name);
    return name;
  };

  beforeAll(() => {
    pool = new Pool({ connectionString: url, max: 4 });
  });

  afterAll(async () => {
    for (const schema of schemas) await pool.query(`drop schema if exists ${quoted(schema)} cascade`);
    await pool.end();
  });

  it.each([
    `quo"te's \\ and $body$ ${process.pid}`,
    `日本 ${process.pid}`,
    `select ${process.pid}`,
    `${process.pid}`.padEnd(63, "x"),
  ])("works in a schema called %s", async (name) => {
    const store = createPostgresStateAdapter({ driver: pg(pool), schema: named(name) });
    await store.migrate();
    const start = job("a");
    await store.start([{ starts: [start] }], {});
    const [held] = await claim(store, ["a"], 1);
    if (held === undefined) throw new Error("the job is claimed");
    await store.settle([completed(held)], {});
    expect(await store.getChains([start.id], {})).toMatchObject([{ status: "completed" }]);
  });

  it("reports functions that differ from those of this package", async () => {
    const schema = named(`changed ${process.pid}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    expect(await store.migrate()).toEqual([]);
    const change = `create or replace function ${quoted(schema)}.lost_reason_v1(p_job uuid) returns text
      language plpgsql volatile as $$ begin return 'cancelled'; end $$`;
    await pool.query(change);
    await pool.query(`drop function ${quoted(schema)}.workers_v1`);
    const refusal = { code: "schema-changed", details: { functions: ["lost_reason_v1", "workers_v1"] } };
    await expect(store.migrate()).rejects.toMatchObject(refusal);
    await expect(store.migrate({ dryRun: true })).rejects.toMatchObject(refusal);
  });

  it.each(["LATIN1", "SQL_ASCII"])(
    "refuses a database with the encoding %s, and does not change it",
    async (encoding) => {
      const database = `encoding_${encoding.toLowerCase()}_${process.pid}`;
      await pool.query(
        `create database ${database} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
      );
      const own = new Pool({ connectionString: urlOf(url ?? "", database), max: 1 });
      const store = createPostgresStateAdapter({ driver: pg(own) });
      await expect(store.migrate()).rejects.toMatchObject({ code: "invalid-input", details: { database, encoding } });
      expect((await own.query("select 1 from pg_namespace where nspname = 'chainwright'")).rows).toEqual([]);
      await own.end();
      await pool.query(`drop database ${database}`);
    },
  );

  it("succeeds in twelve processes at the same time, and one of them runs it", async () => {
    const processes = await Promise.all(
      Array.from({ length: scaled(3, 12) }, () => startProgram("migrate", url ?? "")),
    );
    const pools = Array.from({ length: scaled(9, 0) }, () => new Pool({ connectionString: url, max: 1 }));
    const migrating = [
      ...processes.map((program) => (schema: string) => program.ask(schema)),
      ...pools.map((each) => async (schema: string) => {
        return (await createPostgresStateAdapter({ driver: pg(each), schema }).migrate()).length;
      }),
    ];
    expect(migrating).toHaveLength(12);
    for (let round = 0; round < scaled(4, 50); round += 1) {
      const schema = named(`twelve ${process.pid} ${round}`);
      const ran = await Promise.all(migrating.map((run) => run(schema)));
      expect(ran.filter((statements) => statements !== 0)).toHaveLength(1);
    }
    await Promise.all(pools.map((each) => each.end()));
    await Promise.all(processes.map((program) => program.end()));
  });

  it("needs no right to create anything if the schema exists and is up to date", async () => {
    const schema = named(`rights ${process.pid}`);
    const role = `plain_${process.pid}`;
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    await pool.query(`create role ${role} login`);
    await pool.query(`grant usage on schema ${quoted(schema)} to ${role}`);
    await pool.query(`grant select, insert, update, delete on all tables in schema ${quoted(schema)} to ${role}`);
    await pool.query(`grant usage on all sequences in schema ${quoted(schema)} to ${role}`);
    const plainUrl = new URL(url ?? "");
    plainUrl.username = role;
    const plain = new Pool({ connectionString: plainUrl.href, max: 2 });
    const store = createPostgresStateAdapter({ driver: pg(plain), schema });
    expect(await store.migrate()).toEqual([]);
    const start = job("a", { blockers: [{ start: job("b") }] });
    await store.start([{ starts: [start] }], {});
    const [held] = await claim(store, ["b"], 1);
    if (held === undefined) throw new Error("the blocker is claimed");
    await store.settle([completed(held)], {});
    await store.cancel([{ chainId: start.id, reason: "enough" }], {});
    await store.retry([{ chainId: start.id, input: undefined, typeName: undefined }], {});
    await store.remove({ chainIds: [start.id], cascade: false }, {});
    await store.maintain({ completedMs: 0, failedMs: 0, limit: 10 }, {});
    expect(await store.count({})).toEqual([]);
    await plain.end();
    await pool.query(`drop owned by ${role}; drop role ${role}`);
  });

  it("makes every call wait for the migration: functions of the version before would leave out what they do not know", async () => {
    const schema = named(`unmigrated ${process.pid}`);
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    const version = (value: number) => pool.query(`update ${quoted(schema)}.meta set version = ${value}`);
    await version(migrations.length - 1);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    const start = [{ starts: [job("a", { version: 2, pool: "p" })] }];
    const refusal = {
      code: "not-migrated",
      details: { version: migrations.length - 1, newest: migrations.length },
      message: expect.stringContaining("call `await stateAdapter.migrate()` first") as string,
    };
    await expect(store.start(start, {})).rejects.toMatchObject(refusal);
    await expect(claim(store, ["a"], 1)).rejects.toMatchObject(refusal);
    const inside = store.transaction(async (tx) => {
      await expect(store.start(start, { tx })).rejects.toMatchObject(refusal);
      return store.schema();
    });
    expect(await inside).toMatchObject({ version: migrations.length - 1 });
    expect((await pool.query(`select from ${quoted(schema)}.job`)).rows).toEqual([]);
    await version(migrations.length);
    expect(await store.start(start, {})).toMatchObject([{ ok: true }]);
  });

  it("leaves a schema alone that a newer version has migrated, and can use it", async () => {
    const schema = named(`newer ${process.pid}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    await migrateToNext(pg(pool), schema);
    expect(await store.migrate({ contract: true })).toEqual([]);
    expect(await store.schema()).toEqual({
      version: migrations.length + 1,
      newest: migrations.length,
      compatibleFrom: 1,
      contractPending: false,
    });
    await store.start([{ starts: [job("a")] }], {});
    expect(await claim(store, ["a"], 1)).toHaveLength(1);
  });

  it("refuses a schema from which a newer version has removed what this one uses", async () => {
    const schema = named(`contracted ${process.pid}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    await migrateToNext(pg(pool), schema, { contract: true });
    await expect(store.migrate()).rejects.toMatchObject({ code: "schema-too-new" });
    await expect(store.migrate({ dryRun: true })).rejects.toMatchObject({ code: "schema-too-new" });
  });

  it("removes nothing while a worker of an older version is alive, and says which", async () => {
    const schema = named(`in use ${process.pid}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    const beat = { workerId: "w", name: "old worker", typeNames: ["a"], concurrency: 1, holds: 0 };
    await store.heartbeat({ ...beat, aliveForMs: 60_000 }, {});
    const refusal = { code: "schema-in-use", details: { workers: ["old worker"] } };
    await expect(migrateToNext(pg(pool), schema, { contract: true })).rejects.toMatchObject(refusal);
    expect(await store.schema()).toMatchObject({ version: migrations.length, compatibleFrom: 1 });
    expect((await migrateToNext(pg(pool), schema)).length).toBeGreaterThan(10);
    await store.heartbeat({ ...beat, aliveForMs: 0 }, {});
    await migrateToNext(pg(pool), schema, { contract: true });
    expect(await store.schema()).toMatchObject({
      version: migrations.length + 1,
      compatibleFrom: migrations.length + 1,
    });
  });

  it("waits for no lock while other calls wait behind it, and goes on when the lock is free", async () => {
    const schema = named(`locked ${process.pid}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query(`lock table ${quoted(schema)}.job in row exclusive mode`);
    const migrating = migrateToNext(pg(pool), schema);
    // A statement that waited for its lock would hold this one up as long as the holder keeps it.
    for (let each = 0; each < 5; each += 1) await store.start([{ starts: [job("a")] }], {});
    await holder.query("commit");
    holder.release();
    expect((await migrating).length).toBeGreaterThan(10);
    expect(await claim(store, ["a"], 10)).toHaveLength(5);
  });

  it.each(migrations.slice(1).map((_, at) => ({ version: at + 2 })))(
    "rewrites no table and builds no index on one when it brings a store to version $version",
    async ({ version }) => {
      const schema = named(`rewrites ${process.pid} ${version}`);
      const { steps, functions } = releaseOf(schemaOf(schema));
      const migrateTo = (newest: number, installed: readonly string[]) =>
        migrate(pg(pool), schemaOf(schema), {}, { steps: steps.slice(0, newest), functions: installed });
      await migrateTo(version - 1, []);
      const before = await filesOf(pool, schema);
      await migrateTo(version, functions);
      expect(before.length).toBeGreaterThan(9);
      expect(await filesOf(pool, schema)).toEqual(expect.arrayContaining(before));
    },
  );

  it("changes tables after it has installed the functions and made new tables, because a changed table is locked until the commit", async () => {
    const schema = named(`order ${process.pid}`);
    const { steps, functions } = releaseOf(schemaOf(schema));
    await migrate(pg(pool), schemaOf(schema), {}, { steps: steps.slice(0, 1), functions });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    const planned = await store.migrate({ dryRun: true });
    const lastFunction = planned.findLastIndex((statement) => statement.startsWith("create or replace function"));
    const firstTable = planned.findIndex((statement) => statement.startsWith("alter table"));
    const lock = planned.findIndex((statement) => statement.includes("lock table"));
    expect(lastFunction).toBeGreaterThan(30);
    expect(firstTable).toBeGreaterThan(lastFunction);
    expect(planned.findLastIndex((statement) => statement.startsWith("create table"))).toBeLessThan(lock);
    expect(firstTable).toBe(lock + 1);
  });

  it("says that a schema of the version before has to be migrated", async () => {
    const schema = named(`behind ${process.pid}`);
    const { steps, functions } = releaseOf(schemaOf(schema));
    await migrate(pg(pool), schemaOf(schema), {}, { steps: steps.slice(0, -1), functions });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    const beat = { workerId: "w", name: "new worker", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 60_000 };
    await expect(store.heartbeat(beat, {})).rejects.toMatchObject({ code: "not-migrated" });
    await expect(store.start([{ starts: [job("a")] }], {})).rejects.toMatchObject({ code: "not-migrated" });
  });

  it("uses an existing schema", async () => {
    const schema = named(`given ${process.pid}`);
    await pool.query(`create schema ${quoted(schema)}`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    const planned = await store.migrate({ dryRun: true });
    expect(planned.filter((statement) => statement.startsWith("create schema"))).toEqual([]);
    expect(await store.migrate()).toEqual(planned);
  });

  it("leaves nothing behind if it fails half-way", async () => {
    const schema = named(`half ${process.pid}`);
    await pool.query(`create schema ${quoted(schema)}; create table ${quoted(schema)}.worker (n integer)`);
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await expect(store.migrate()).rejects.toThrow("already exists");
    const { rows } = await pool.query("select tablename from pg_tables where schemaname = $1", [schema]);
    expect(rows).toEqual([{ tablename: "worker" }]);
  });
});

/** The file of each table, which a rewrite replaces, with its indexes. */
async function filesOf(pool: Pool, schema: string): Promise<unknown[]> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select c.relname, pg_relation_filenode(c.oid) as file,
      array(select pg_relation_filenode(i.indexrelid) from pg_index i where i.indrelid = c.oid order by 1) as indexes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
    [schema],
  );
  return rows;
}

function urlOf(server: string, database: string): string {
  const other = new URL(server);
  other.pathname = `/${database}`;
  return other.href;
}
