import { findBackend } from "@chainwright/backends/vitest";
import { createClient, defineJobTypes, type DoctorFinding } from "chainwright";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { job } from "./jobs.ts";
import { completes, continues, createWorld, waitsFor } from "./overlaps/world.ts";

const url = await findBackend("postgres");
const jobTypes = defineJobTypes<Record<string, { entry: true; input: number; output: number }>>();

const twice = (line: string) => [line, line];

describe.skipIf(url === undefined)("client.doctor on Postgres", () => {
  const schema = `doctor ${process.pid}`;
  const s = `"${schema}"`;
  let pool: Pool;

  const openStore = (on: Pool = pool) => createPostgresStateAdapter({ driver: pg(on), schema });
  const openClient = (on: Pool = pool) => createClient({ stateAdapter: openStore(on), jobTypes });
  const summaryOf = (findings: readonly DoctorFinding[]) =>
    findings.map(({ kind, status }) => `${kind} ${status}`).toSorted();

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 6 });
    await openStore().migrate();
  });

  beforeEach(async () => {
    const tables = [
      "job",
      "open_job",
      "blocker",
      "release",
      "stopped",
      "failure",
      "deduplication",
      "tag",
      "tally",
      "tally_change",
      "expiry",
    ];
    for (const table of tables) await pool.query(`delete from ${s}.${table}`);
  });

  afterAll(async () => {
    await pool.query(`drop schema ${s} cascade`);
    await pool.end();
  });

  it("finds and repairs the faults that only Postgres can have", async () => {
    const client = openClient();
    const { keyed, moving } = await createWorld(openStore());
    await openStore().settle([completes(keyed)], {});
    await pool.query(`insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state,
        rank, has_blockers, type_name)
      select gen_random_uuid(), chain_id, position, due_at, 0, step, attempt, 0, 0, rank, false, type_name from ${s}.open_job limit 1`);
    await pool.query(`insert into ${s}.stopped values ($1, $2)`, [keyed.id, keyed.id]);
    await pool.query(`insert into ${s}.failure values ($1, $1, 1, 'keyed', '')`, [moving.id]);
    const stray = (await client.doctor()).findings;
    expect(summaryOf(stray)).toEqual(["open-job-without-job repairable", ...twice("stopped-without-job repairable")]);
    expect(summaryOf((await client.doctor({ repair: true })).findings)).toEqual([
      "open-job-without-job repaired",
      ...twice("stopped-without-job repaired"),
    ]);
    expect((await client.doctor()).findings).toEqual([]);
    expect((await openStore().getChains([moving.id], {}))[0]?.status).toBe("active");
  });

  it("says what to do about faults that it cannot repair, and that works", async () => {
    const client = openClient();
    const world = await createWorld(openStore());
    // A chain that was deleted by hand while another waits for it, and one whose next step is lost.
    await pool.query(`delete from ${s}.open_job where job_id = $1`, [world.scheduled.id]);
    await pool.query(`delete from ${s}.job where id = $1`, [world.scheduled.id]);
    const waiting = job("orphan", waitsFor(world.keyed));
    await openStore().start([{ starts: [waiting] }], {});
    await pool.query(`update ${s}.blocker set chain_id = $1 where job_id = $2`, [world.scheduled.id, waiting.id]);
    await openStore().settle([continues(world.moving)], {});
    await pool.query(`delete from ${s}.open_job where chain_id = $1`, [world.moving.id]);
    await pool.query(`delete from ${s}.job where chain_id = $1 and step = 4`, [world.moving.id]);

    const { findings } = await client.doctor({ repair: true });
    expect(summaryOf(findings)).toEqual(["blocker-without-chain manual", "chain-not-ended manual"]);
    await expect(client.cancelChain({ id: world.moving.id })).rejects.toMatchObject({ code: "store-corrupt" });
    await client.deleteChain({ id: world.moving.id, cascade: true });
    await client.completeChain({ id: waiting.id, typeName: "orphan", output: 1 });
    expect((await client.doctor()).findings).toEqual([]);
  });

  it("leaves rows alone that running work has locked, and repairs them afterwards", async () => {
    const client = openClient();
    const world = await createWorld(openStore());
    await pool.query(`update ${s}.open_job set blockers_left = 7 where job_id = $1`, [world.waiting.id]);
    const other = await pool.connect();
    await other.query("begin");
    await other.query(`select from ${s}.open_job where job_id = $1 for update`, [world.waiting.id]);
    expect(summaryOf((await client.doctor({ repair: true })).findings)).toEqual(["missed-release busy"]);
    await other.query("rollback");
    other.release();
    expect(summaryOf((await client.doctor({ repair: true })).findings)).toEqual(["missed-release repaired"]);
    expect((await client.doctor()).findings).toEqual([]);
  });

  it("installs changed functions again, and says why if the role has no right to", async () => {
    const own = await pool.query<{ text: string }>(
      `select pg_get_functiondef(p.oid) as text from pg_proc p where p.proname = 'lost_reason_v1' and p.pronamespace = $1::regnamespace`,
      [s],
    );
    await pool.query(
      `create or replace function ${s}.lost_reason_v1(p_job uuid) returns text language plpgsql as $$ begin return ''; end $$`,
    );
    const role = `doctor_${process.pid}`;
    await pool.query(`create role ${role} login`);
    await pool.query(`grant usage on schema ${s} to ${role}`);
    await pool.query(`grant select, insert, update, delete on all tables in schema ${s} to ${role}`);
    await pool.query(`grant usage on all sequences in schema ${s} to ${role}`);
    const limited = new Pool({ connectionString: url, options: `-c role=${role}`, max: 2 });
    const [refused] = (await openClient(limited).doctor({ repair: true })).findings;
    expect(refused).toMatchObject({ kind: "changed-function", id: "lost_reason_v1", status: "failed" });
    expect(refused?.remedy).toContain("permission denied");
    await limited.end();
    expect(summaryOf((await openClient().doctor({ repair: true })).findings)).toEqual(["changed-function repaired"]);
    expect((await openClient().doctor()).findings).toEqual([]);
    await expect(openStore().migrate()).resolves.toEqual([]);
    expect(own.rows).toHaveLength(1);
    await pool.query(`drop owned by ${role}; drop role ${role}`);
  });

  it("counts everything as of one moment, or reports that there was not enough time", async () => {
    const store = openStore();
    for (let page = 0; page < 3; page += 1) {
      await pool.query(`insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
          created_at, input, ended_job_id)
        select i.id, i.id, 1, 'many', 0, 0, 1, 1, 1, nextval('${s}.position'), 0, '1', i.id
        from (select gen_random_uuid() as id from generate_series(1, 10000)) i`);
    }
    await pool.query(`insert into ${s}.tally (type_name, status, count) values ('many', 1, 30000)`);
    const request = { check: "counts", after: undefined, limit: 10, heldBeforeMs: 0 } as const;
    expect(await store.inspect({ ...request, timeMs: 30_000 }, {})).toEqual({
      faults: [],
      next: undefined,
      isCut: false,
    });
    expect(await store.inspect({ ...request, timeMs: -1 }, {})).toEqual({ faults: [], next: undefined, isCut: true });
  });

  it("does not take a chain that ends while it counts for a wrong count", async () => {
    const { keyed } = await createWorld(openStore());
    const driver = pg(pool);
    let hasEnded = false;
    const store = createPostgresStateAdapter({
      schema,
      driver: {
        ...driver,
        query: async (query, tx, limitMs) => {
          const rows = await driver.query(query, tx, limitMs);
          // The jobs have been counted; what was counted before is read next.
          if (tx !== undefined && query.text.includes("count(*)")) {
            await openStore().settle([completes(keyed)], {});
            hasEnded = true;
          }
          return rows;
        },
      },
    });
    const { faults } = await store.inspect(
      { check: "counts", after: undefined, limit: 10, heldBeforeMs: 0, timeMs: 30_000 },
      {},
    );
    expect([faults, hasEnded]).toEqual([[], true]);
  });
});
