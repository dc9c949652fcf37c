import { randomUUID } from "node:crypto";
import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import { Client, Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, jobs, workerId } from "./jobs.ts";

const url = await findBackend("postgres");

/**
 * Counts the pages that a claim reads, because a clock would measure the machine. On a server of its own: snapshots of other tests
 * would keep vacuum from removing rows.
 */
describe.skipIf(url === undefined)("the cost of a claim on Postgres", { timeout: 120_000 }, () => {
  const schema = `claim cost ${process.pid}`;
  const quoted = `"${schema}"`;
  let server: Server;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: "off" } });
    // One connection, whose statements are measured.
    pool = new Pool({ connectionString: server.url, max: 1 });
    await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
    // These tests run vacuum themselves.
    await pool.query(`alter table ${quoted}.open_job set (autovacuum_enabled = off)`);
    await pool.query(`alter table ${quoted}.job set (autovacuum_enabled = off)`);
  });

  afterAll(async () => {
    await pool.query(`drop schema ${quoted} cascade`);
    await pool.end();
    await server.stop();
  });

  beforeEach(() => {
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
  });

  const empty = async () => {
    await pool.query(`truncate ${quoted}.open_job, ${quoted}.job`);
  };

  /** Inserts waiting jobs as starts would, but with one statement. */
  const fill = (count: number, types: number) =>
    fillWith(count, { typeName: `'type-' || n % ${types}`, priority: "n / 100 % 3" });

  /** The expressions use a job's number `n`. */
  const fillWith = async (count: number, of: { readonly typeName: string; readonly priority: string }) => {
    await empty();
    await pool.query(`insert into ${quoted}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status,
        attempt, position, created_at, input)
      select id, id, 1, ${of.typeName}, ${of.priority}, 0, 0, 0, 0, n, 0, '{}'
      from (select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, n from generate_series(1, ${count}) n) n`);
    await pool.query(`insert into ${quoted}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left,
        state, rank, has_blockers, type_name)
      select id, id, position, 0, 0, 1, 0, 0, 0, ~priority, false, type_name from ${quoted}.job`);
    await pool.query(`select setval('${quoted}.position', ${count})`);
    await pool.query(`vacuum analyze ${quoted}.open_job, ${quoted}.job`);
  };

  const typeNames = (types: number) => Array.from({ length: types }, (_, index) => `type-${index}`);

  /** The pages that one claim of ten reads once plans and caches are warm. The claimed jobs are given back. */
  const pagesOfClaim = async (types: number, claimed = 10, names = typeNames(types)): Promise<number> => {
    const plan = async () => {
      const parameters = [
        null,
        null,
        workerId,
        JSON.stringify(names),
        `{${names.map(() => "1").join(",")}}`,
        "10",
        null,
      ];
      await pool.query("begin");
      const text = `explain (analyze, buffers, timing off, format json) select * from ${quoted}.claim_v1($1, $2, $3, $4, $5, $6, $7)`;
      const { rows } = await pool.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(text, parameters);
      await pool.query("rollback");
      return rows[0]?.["QUERY PLAN"][0].Plan ?? {};
    };
    await plan();
    const { "Actual Rows": rows, "Shared Hit Blocks": hit = 0, "Shared Read Blocks": read = 0 } = await plan();
    expect(rows).toBeGreaterThanOrEqual(claimed);
    return hit + read;
  };

  it("is the same at 1,000 and at 1,000,000 waiting jobs, of one type and of two hundred", async () => {
    const pages: Record<string, number> = {};
    for (const count of [1_000, 1_000_000]) {
      // A fourth of the requested types has jobs.
      await fill(count, 50);
      for (const types of [1, 200]) pages[`${count}, ${types} types`] = await pagesOfClaim(types);
    }
    const [least, most] = [Math.min(...Object.values(pages)), Math.max(...Object.values(pages))];
    expect(most, JSON.stringify(pages)).toBeLessThanOrEqual(150);
    // An index of a million entries is two levels deeper.
    expect(most - least, JSON.stringify(pages)).toBeLessThanOrEqual(30);
  });

  it("does not grow with the number of priorities or of types that it does not ask for", async () => {
    const pages: Record<string, number> = {};
    const measure = async (name: string, of: Parameters<typeof fillWith>[1], claimed: number) => {
      await fillWith(100_000, of);
      pages[name] = await pagesOfClaim(100, claimed);
    };
    await measure("one foreign priority", { typeName: "'other'", priority: "1" }, 0);
    await measure("1,000 foreign priorities", { typeName: "'other'", priority: "n % 1000 - 500" }, 0);
    await measure(
      "100 foreign types, 1,000 priorities",
      { typeName: "'other-' || n % 100", priority: "n / 100 - 500" },
      0,
    );
    await measure("one priority of each", { typeName: "'type-' || n % 100", priority: "1" }, 10);
    await measure("1,000 priorities of each", { typeName: "'type-' || n % 100", priority: "(n - 1) / 100 - 500" }, 10);
    await measure("one of each priority", { typeName: "'type-' || n % 100", priority: "n % 60000 - 30000" }, 10);
    const { "one foreign priority": foreign = 0, "one priority of each": own = 0 } = pages;
    // A claim looks once at each of its hundred types, whatever the number of priorities.
    const most = foreign + 100 * 16;
    expect(pages["1,000 foreign priorities"], JSON.stringify(pages)).toBeLessThanOrEqual(most);
    expect(pages["100 foreign types, 1,000 priorities"], JSON.stringify(pages)).toBeLessThanOrEqual(most);
    expect(pages["one of each priority"], JSON.stringify(pages)).toBeLessThanOrEqual(most);
    expect(pages["1,000 priorities of each"], JSON.stringify(pages)).toBeLessThanOrEqual(3 * own);
  });

  it("of 1,200 names of which 10 have jobs is at most 4 times that of these 10 names, whether or not the jobs fill the claim", async () => {
    const present = typeNames(1_200).filter((_, index) => index % 120 === 7);
    const pages: Record<string, readonly [few: number, many: number]> = {};
    for (const [count, claimed] of [
      [1_000, 10],
      [8, 8],
      [0, 0],
    ] as const) {
      // The others have types that the claim does not ask for.
      const typeName = `case when n <= ${count} then 'type-' || (n % 10 * 120 + 7) else 'other-' || n % 100 end`;
      await fillWith(count + 1_000, { typeName, priority: `case when n <= ${count} then n % 2 else 0 end` });
      pages[`${count} jobs`] = [await pagesOfClaim(10, claimed, present), await pagesOfClaim(1_200, claimed)];
    }
    for (const [few, many] of Object.values(pages)) expect(many, JSON.stringify(pages)).toBeLessThanOrEqual(4 * few);
  });

  it("locks no job that it does not take", async () => {
    await fill(1_000, 1);
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await store.transaction(async (tx) => {
      const { claimed } = await store.exchange({ outcomes: [], claim: claimOf(["type-0"], 10) }, { tx });
      expect(claimed).toHaveLength(10);
      const { rows } = await other.query(`select job_id from ${quoted}.open_job for update skip locked`);
      expect(rows).toHaveLength(990);
    });
    await other.end();
  });

  it("is that of heap-only updates: a claim writes to no index", async () => {
    await empty();
    const written = async () => {
      await pool.query("select pg_stat_force_next_flush()");
      const { rows } = await pool.query<{ updates: number; hot: number }>(
        "select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relid = $1::regclass",
        [`${quoted}.open_job`],
      );
      return rows[0] ?? { updates: 0, hot: 0 };
    };
    await store.start([{ starts: jobs(1_000, "type-0", { input: '"x"' }) }], {});
    const before = await written();
    const by = randomUUID();
    const types = [{ typeName: "type-0", leaseMs: 1_000 }];
    const { claimed } = await store.exchange({ outcomes: [], claim: { workerId: by, types, limit: 1_000 } }, {});
    expect(claimed).toHaveLength(1_000);
    const after = await written();
    expect(after.updates - before.updates).toBe(1_000);
    expect(after.hot - before.hot).toBe(1_000);
  });
});
