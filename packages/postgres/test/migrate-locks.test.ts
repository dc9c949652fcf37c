import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { migrate } from "../src/migrate.ts";
import { releaseOf } from "../src/migrations.ts";
import { schemaOf } from "../src/schema.ts";

const url = await findBackend("postgres");

it.skipIf(url === undefined)(
  "a migration that has some of its tables gives up before a call that has one of the others and needs one of these",
  { timeout: 60_000 },
  async () => {
    const pool = new Pool({ connectionString: url, max: 3 });
    const schema = `migrate_locks_${process.pid}`;
    const caller = await pool.connect();
    onTestFinished(async () => {
      caller.release();
      await pool.query(`drop schema if exists ${schema} cascade`);
      await pool.end();
    });
    const release = releaseOf(schemaOf(schema));
    await migrate(pg(pool), schemaOf(schema), {}, { ...release, steps: release.steps.slice(0, 1) });

    await caller.query("begin");
    await caller.query("set local lock_timeout = 400");
    await caller.query(`lock table ${schema}.blocker in access share mode`);
    const migrating = migrate(pg(pool), schemaOf(schema), {}, release);
    const waitsForBlocker = async () => {
      const { rowCount } = await pool.query(
        "select from pg_locks where not granted and relation = $1::regclass and mode = 'AccessExclusiveLock'",
        [`${schema}.blocker`],
      );
      return rowCount === 1;
    };
    await vi.waitUntil(waitsForBlocker, { timeout: 30_000, interval: 2 });
    await caller.query(`select from ${schema}.job`);
    await caller.query("commit");
    expect((await migrating).length).toBeGreaterThan(10);
  },
);
