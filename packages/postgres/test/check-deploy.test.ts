import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, defineJobTypes } from "chainwright";
import { checkDeploy } from "chainwright/check";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { job } from "./jobs.ts";

const url = await findBackend("postgres");

const jobTypes = defineJobTypes<{
  a: { entry: true; input: number; output: null };
  b: { entry: true; input: number; output: null; blockers: readonly ["a"] };
}>();

describe.skipIf(url === undefined)("the check of a deployment on Postgres", () => {
  const schema = `check ${process.pid}`;
  let pool: Pool;
  let reading: Pool;
  const statements: string[] = [];

  beforeAll(async () => {
    pool = new Pool({ connectionString: url });
    reading = new Pool({ connectionString: url, max: 2, options: "-c default_transaction_read_only=on" });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
    const blocker = job("a");
    await store.start([{ starts: [blocker, job("b", { blockers: [{ chainId: blocker.id, typeName: "a" }] })] }], {});
    await store.start([{ starts: Array.from({ length: 2_498 }, () => job("a")) }], {});
  });

  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await Promise.all([pool.end(), reading.end()]);
  });

  it("reads in pages on a connection that must not write, and leaves no transaction or lock behind", async () => {
    const driver = pg(reading);
    const counting: typeof driver = {
      ...driver,
      query: (statement, tx) => {
        statements.push(statement.text);
        return driver.query(statement, tx);
      },
    };
    const client = createClient({ stateAdapter: createPostgresStateAdapter({ driver: counting, schema }), jobTypes });
    const none = async (): Promise<null> => null;
    const processors = [createProcessors({ client, jobTypes, processors: { a: none, b: none } })];
    const report = await checkDeploy({ client, processors, sample: "all" });
    expect(report).toMatchObject({ ok: true, openJobs: 2_500, readJobs: 2_500 });
    expect(statements.filter((text) => text.includes("has_blockers"))).toHaveLength(11);
    // Those, the version of the schema, the counts, the workers, the limits, the schedules, and the blockers of one job.
    expect(statements.length).toBeLessThanOrEqual(19);
    const { rows } = await pool.query(
      `select from pg_locks l
       join pg_stat_activity a on a.pid = l.pid and a.backend_type = 'client backend' and a.datname = current_database()
       join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1`,
      [schema],
    );
    expect(rows).toEqual([]);
    await client.close();
  });
});
