import { stateConformance } from "chainwright/conformance";
import { findBackend } from "@chainwright/backends/vitest";
import pgClient from "pg";
import { afterAll, describe, test } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("pg", () => {
  const pool = new pgClient.Pool({ connectionString: url, max: 12 });
  let schemas = 0;
  afterAll(() => pool.end());

  const open = async () => {
    schemas += 1;
    const schema = `state pg ${process.pid} ${schemas}`;
    const adapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await pool.query(`create table "user ${schema}" (key text not null, value text not null)`);
    return {
      adapter,
      connect: async () => createPostgresStateAdapter({ driver: pg(pool), schema }),
      userTable: {
        write: async (tx: pgClient.PoolClient, key: string, value: string) => {
          await tx.query(`insert into "user ${schema}" values ($1, $2)`, [key, value]);
        },
        read: async (key: string) => {
          const { rows } = await pool.query<{ value: string }>(`select value from "user ${schema}" where key = $1`, [key]);
          return rows.map(({ value }) => value);
        },
      },
      close: async () => {
        await pool.query(`drop table "user ${schema}"; drop schema if exists "${schema}" cascade`);
      },
    };
  };

  const cases = stateConformance({
    createAdapter: async () => {
      const backend = await open();
      await backend.adapter.migrate();
      return backend;
    },
    createUnmigrated: open,
  });
  for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
});
