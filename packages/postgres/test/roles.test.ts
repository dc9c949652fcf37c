import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { workday } from "./workday.ts";

const url = await findBackend("postgres");

/** The statements of the page "For administrators", with the names of this test. */
describe.skipIf(url === undefined)("roles on Postgres", { timeout: 60_000 }, () => {
  const [owner, app, schema] = [`owner_${process.pid}`, `app_${process.pid}`, `roles_${process.pid}`];
  let control: Pool;
  const pools: Pool[] = [];

  const as = (role: string) => {
    const roleUrl = new URL(url ?? "");
    roleUrl.username = role;
    const pool = new Pool({ connectionString: roleUrl.href, max: 5 });
    pools.push(pool);
    return { pool, store: createPostgresStateAdapter({ driver: pg(pool), schema }) };
  };

  beforeAll(async () => {
    control = new Pool({ connectionString: url, max: 1 });
    await control.query(`
      create role ${owner} login;
      create role ${app} login;
      -- As careful administrators have it: nothing for everyone.
      alter default privileges for role ${owner} revoke execute on functions from public;
      create schema ${schema} authorization ${owner};
      grant usage on schema ${schema} to ${app};
      alter default privileges for role ${owner} in schema ${schema} grant select, insert, update, delete on tables to ${app};
      alter default privileges for role ${owner} in schema ${schema} grant usage on sequences to ${app};
      alter default privileges for role ${owner} in schema ${schema} grant execute on functions to ${app};`);
  });

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await control.query(`drop schema ${schema} cascade`);
    await control.query(`drop owned by ${owner}, ${app} cascade`);
    await control.query(`drop role ${owner}, ${app}`);
    await control.end();
  });

  it("one role with rights on the schema only migrates, and another one does all the work", async () => {
    expect((await as(owner).store.migrate()).length).toBeGreaterThan(0);
    const { store } = as(app);
    expect(await store.migrate()).toEqual([]);
    await workday(store);
  });

  it("the role that does the work cannot create, change or drop anything", async () => {
    const { pool } = as(app);
    for (const statement of [
      `create table ${schema}.more (n integer)`,
      `alter table ${schema}.job add column more integer`,
      `drop function ${schema}.delete_chains_v1`,
      `truncate ${schema}.job`,
    ])
      await expect(pool.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("objects of a later migration need no other grant", async () => {
    const { pool } = as(owner);
    await pool.query(`create table ${schema}.later (n integer primary key)`);
    await pool.query(
      `create function ${schema}.later_v2() returns integer language sql as 'select count(*)::integer from ${schema}.later'`,
    );
    const { rows } = await as(app).pool.query(`select ${schema}.later_v2() as n`);
    expect(rows).toEqual([{ n: 0 }]);
    await pool.query(`drop function ${schema}.later_v2; drop table ${schema}.later`);
  });
});
