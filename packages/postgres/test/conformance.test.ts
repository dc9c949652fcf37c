import { findBackend } from "@chainwright/backends/vitest";
import { stateConformance } from "chainwright/conformance";
import { Pool } from "pg";
import type { PoolClient } from "pg";
import { afterAll, describe, test } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { createSchemas } from "./schemas.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("pg", () => {
  const pool = new Pool({ connectionString: url, max: 12 });
  const schemas = createSchemas(
    () => pg(pool),
    (sql) => pool.query(sql),
  );
  afterAll(async () => {
    await schemas.dropAll();
    await pool.end();
  });

  const open = (schema: string) => ({
    adapter: createPostgresStateAdapter({ driver: pg(pool), schema }),
    connect: async () => createPostgresStateAdapter({ driver: pg(pool), schema }),
    userTable: {
      write: async (tx: PoolClient, key: string, value: string) => {
        await tx.query(`insert into ${schemas.userTable(schema)} values ($1, $2)`, [key, value]);
      },
      read: async (key: string) => {
        const text = `select value from ${schemas.userTable(schema)} where key = $1`;
        return (await pool.query<{ value: string }>(text, [key])).rows.map(({ value }) => value);
      },
    },
  });

  const cases = stateConformance({
    createAdapter: async () => {
      const schema = await schemas.take();
      return { ...open(schema), close: () => schemas.giveBack(schema) };
    },
    createUnmigrated: async () => ({ ...open(schemas.unmigrated()), close: async () => {} }),
  });
  for (const { name, skipped, run } of cases) test.skipIf(skipped !== undefined)(name, run);
});
