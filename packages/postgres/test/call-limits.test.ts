import { startPostgresProxy, type PostgresProxy } from "@chainwright/backends/postgres-proxy";
import { Pool } from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { job } from "./jobs.ts";
import {
  application,
  openPg,
  openPostgresJs,
  prepareStore,
  schema,
  url,
  type Application,
} from "./limited-application.ts";

describe.skipIf(url === undefined)("limits", { timeout: 30_000 }, () => {
  const control = prepareStore();

  describe.each([
    ["pg", openPg],
    ["postgres.js", openPostgresJs],
  ] as const)("of calls, with %s", (_, open) => {
    const ends: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      // Cut the network first, because postgres.js waits for connections that do not reply.
      for (const end of ends.splice(0)) await end();
    });

    /** Two drivers on one connection, which the one without a limit has opened. */
    const on = async (where: string) => {
      // The two handles have different types, and are only passed on.
      const { driver, end } = open(where) as Application<unknown>;
      ends.push(end);
      const patient = createPostgresStateAdapter({ driver, schema });
      await patient.start([{ starts: [job("a")] }], {});
      const store = createPostgresStateAdapter({ driver, schema, callLimitMs: 500 });
      await store.listWorkers({});
      return { patient, store };
    };

    it("a call that waits for a lock is abandoned with an unknown outcome, and its connection is free or replaced", async () => {
      const { store, patient } = await on(url ?? "");
      const chain = job("a");
      await patient.start([{ starts: [chain] }], {});
      await control.query("begin");
      await control.query(`select from "${schema}".open_job where job_id = $1 for update`, [chain.id]);
      await expect(store.cancel([{ chainId: chain.id, reason: undefined }], {})).rejects.toMatchObject({
        code: "store-unavailable",
        details: { outcome: "unknown" },
      });
      expect(await patient.getChains([chain.id], {})).toMatchObject([{ id: chain.id }]);
      await control.query("rollback");
    });

    it("a call that gets no connection is refused, and nothing was sent", async () => {
      const { store, patient } = await on(url ?? "");
      const chain = job("a");
      await patient.transaction(async () => {
        const start = store.start([{ starts: [chain] }], {});
        await expect(start).rejects.toMatchObject({ code: "store-unavailable", details: {} });
        await expect(store.transaction(async () => {})).rejects.toMatchObject({
          code: "store-unavailable",
          details: {},
        });
      });
      expect(await patient.getChains([chain.id], {})).toEqual([undefined]);
    });

    it.each(["commit", "start"])(
      "a transaction or call whose %s gets no reply is abandoned with an unknown outcome",
      async (what) => {
        const network = await withoutReplies();
        ends.push(network.close);
        // postgres.js sends a prepared statement in one message.
        const { store } = await on(network.url);
        const chain = job("a");
        const call =
          what === "start"
            ? network.during(() => store.start([{ starts: [chain] }], {}))
            : store.transaction(async (tx) => {
                await store.start([{ starts: [chain] }], { tx });
                network.begin();
              });
        await expect(call).rejects.toMatchObject({ code: "store-unavailable", details: { outcome: "unknown" } });
        network.end();
        const { patient } = await on(url ?? "");
        const isThere = async () => (await patient.getChains([chain.id], {}))[0]?.id;
        await expect.poll(isThere, { timeout: 20_000 }).toBe(chain.id);
      },
    );
  });

  it("a call that needs a transaction because the role has another isolation level is abandoned as well", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const pool = new Pool({ connectionString: url, max: 1, application_name: application, options });
    const patient = createPostgresStateAdapter({ driver: pg(pool), schema });
    const store = createPostgresStateAdapter({ driver: pg(pool), schema, callLimitMs: 500 });
    const chain = job("a");
    await patient.start([{ starts: [chain] }], {});
    await store.start([{ starts: [job("a")] }], {});
    await control.query("begin");
    await control.query(`select from "${schema}".open_job where job_id = $1 for update`, [chain.id]);
    await expect(store.cancel([{ chainId: chain.id, reason: undefined }], {})).rejects.toMatchObject({
      code: "store-unavailable",
      details: { outcome: "unknown" },
    });
    expect(await patient.getChains([chain.id], {})).toMatchObject([{ id: chain.id }]);
    await control.query("rollback");
    await pool.end();
  });
});

/** A connection to the server on which replies can be lost, but no requests. */
async function withoutReplies() {
  let loses = false;
  const proxy: PostgresProxy = await startPostgresProxy(url ?? "", {
    fateOf: ({ from }) => (loses && from === "server" ? "lose" : "pass"),
  });
  return {
    url: proxy.url,
    begin: () => {
      loses = true;
    },
    end: () => {
      loses = false;
    },
    during: <T>(run: () => Promise<T>): Promise<T> => {
      loses = true;
      return run();
    },
    close: proxy.close,
  };
}
