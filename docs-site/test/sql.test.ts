import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createClient, createProcessors, createWorker, defineJobTypes, FatalError } from "chainwright";
import { Pool, type QueryResult } from "pg";
import { describe, expect, it } from "vitest";
import { collectPages } from "../samples/collect.ts";
import { fencesOf } from "../../tooling/fences.ts";

const url = await findBackend("postgres");
const fences = collectPages().flatMap(({ file, markdown }) =>
  fencesOf(markdown)
    .filter(({ language }) => language === "sql")
    .map(({ line, code }) => ({ at: `${file}:${line}`, code })),
);

const jobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; output: { placed: boolean } };
}>();

/** Starts a chain that fails, and one that stays open. */
async function furnish(pool: Pool): Promise<void> {
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      "order.place": async () => {
        throw new FatalError("there is no such order");
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  const chain = await client.startChain({ typeName: "order.place", input: { orderId: "A-1" } });
  await expect(client.awaitChain(chain)).rejects.toMatchObject({ code: "chain-failed" });
  await worker.stop();
  await client.startChain({ typeName: "order.place", input: { orderId: "A-2" } });
  await client.close();
  await stateAdapter.close();
}

describe.skipIf(url === undefined)("SQL of a page", () => {
  it.each(fences)("runs and finds rows: $at", async ({ code }) => {
    await withFreshDatabase(url ?? "", async (database) => {
      const pool = new Pool({ connectionString: database, max: 2 });
      await furnish(pool);
      // The page grants rights to this role. Roles belong to the whole server, so the role is created in the rolled-back transaction.
      const results: unknown = await pool.query(`begin; create role app; ${code}; rollback`);
      const selects = (results as readonly QueryResult[]).filter(({ command }) => command === "SELECT");
      expect(selects.map(({ rowCount }) => rowCount)).toEqual(selects.map(() => 1));
      await pool.end();
    });
  });
});
