import { freshDatabase } from "@chainwright/backends/fresh-database";
import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { processConformance } from "@chainwright/conformance";
import { Pool } from "pg";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";

describeOn("a database that processes share", await findBackend("postgres"), (url) => {
  const cases = processConformance({
    program: new URL("fixtures/store-process.ts", import.meta.url),
    nodeFlags: ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"],
    async createStore() {
      const database = await freshDatabase(url);
      const pool = new Pool({ connectionString: database.url });
      const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
      await stateAdapter.migrate();
      return {
        store: database.url,
        stateAdapter,
        async close() {
          await pool.end();
          await database.drop();
        },
      };
    },
  });
  testCases(cases);
});
