import { startPostgres } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { workday } from "./workday.ts";

const url = await findBackend("postgres");

/** Settings of a role or database that must not change any result. */
const settings: readonly (readonly string[])[] = [
  ["statement_timeout=2s"],
  ["lock_timeout=500ms"],
  ["idle_in_transaction_session_timeout=1s"],
  ["default_transaction_isolation=serializable"],
  ["default_transaction_isolation=repeatable read"],
  ["default_transaction_deferrable=on", "default_transaction_isolation=serializable"],
  ["work_mem=64kB", "maintenance_work_mem=1MB", "temp_buffers=800kB"],
  ["synchronous_commit=off"],
  ["plan_cache_mode=force_custom_plan", "jit=on", "jit_above_cost=0"],
  ["enable_indexscan=off", "enable_bitmapscan=off", "enable_nestloop=off"],
  ["row_security=off", "search_path=", "quote_all_identifiers=on"],
  [
    "max_parallel_workers_per_gather=4",
    "parallel_setup_cost=0",
    "parallel_tuple_cost=0",
    "min_parallel_table_scan_size=0",
  ],
];

describe.skipIf(url === undefined)("a whole day of work on Postgres", { timeout: 60_000 }, () => {
  const schema = `settings ${process.pid}`;
  let control: Pool;

  beforeAll(async () => {
    control = new Pool({ connectionString: url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(control), schema }).migrate();
  });

  afterAll(async () => {
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  it.each(settings.map((set) => set.join(", ")))("has no failures with the setting %s", async (set) => {
    const options = set
      .split(", ")
      .map((each) => `-c ${each.replaceAll(" ", String.raw`\ `)}`)
      .join(" ");
    const pool = new Pool({ connectionString: url, max: 5, options });
    await workday(createPostgresStateAdapter({ driver: pg(pool), schema }));
    await pool.end();
  });
});

describe.skipIf(url === undefined)(
  "a whole day of work on a Postgres that is replicated logically",
  { timeout: 120_000 },
  () => {
    it("has no failures, reaches the replication slot, and leaves no upkeep undone", async () => {
      const server = await startPostgres({ settings: { fsync: "off", wal_level: "logical" } });
      const pool = new Pool({ connectionString: server.url, max: 5 });
      try {
        const store = createPostgresStateAdapter({ driver: pg(pool) });
        await store.migrate();
        await pool.query("create publication everything for all tables");
        await pool.query("select pg_create_logical_replication_slot('watcher', 'pgoutput')");
        await workday(store);
        const { rows } = await pool.query<{ changes: number }>(
          `select count(*)::int as changes from pg_logical_slot_peek_binary_changes('watcher', null, null,
          'proto_version', '1', 'publication_names', 'everything')`,
        );
        expect(rows[0]?.changes).toBeGreaterThan(50);
      } finally {
        await pool.end();
        await server.stop();
      }
    });
  },
);
