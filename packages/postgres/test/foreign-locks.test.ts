import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes, type WorkerOptions } from "chainwright";
import { recordEvents } from "chainwright/testing";
import { Client, Pool, type PoolConfig } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { job } from "./jobs.ts";

const url = await findBackend("postgres");

const jobTypes = defineJobTypes<{
  held: { entry: true; input: null; output: string };
  free: { entry: true; input: number; output: number };
}>();

describe.skipIf(url === undefined)(
  "rows and tables that other sessions of Postgres have locked",
  { timeout: 60_000 },
  () => {
    const schema = `foreign locks ${process.pid}`;
    const ends: (() => Promise<unknown>)[] = [];
    let control: Client;

    beforeAll(async () => {
      control = new Client({ connectionString: url });
      await control.connect();
      const pool = new Pool({ connectionString: url, max: 1 });
      await createPostgresStateAdapter({ driver: pg(pool), schema }).migrate();
      await pool.end();
    });
    afterEach(async () => {
      for (const end of ends.splice(0).toReversed()) await end();
      await control.query(`truncate "${schema}".open_job, "${schema}".job, "${schema}".blocker, "${schema}".release`);
    });
    afterAll(async () => {
      await control.query(`drop schema "${schema}" cascade`);
      await control.end();
    });

    const open = (config: PoolConfig = {}) => {
      const pool = new Pool({ connectionString: url, max: 10, ...config });
      pool.on("error", () => undefined);
      ends.push(() => pool.end());
      return createPostgresStateAdapter({ driver: pg(pool), schema });
    };

    /** A session with a transaction that stays open until `end` is called. */
    const hold = async (name: string, ...statements: readonly string[]) => {
      const session = new Client({ connectionString: url, application_name: name });
      await session.connect();
      for (const statement of ["begin", ...statements]) await session.query(statement);
      const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
      let ended: Promise<void> | undefined;
      const release = () => (ended ??= session.query("rollback").then(() => session.end()));
      ends.push(release);
      return { pid: rows[0]?.pid, release };
    };

    /** A worker whose attempt of `held` is about to end. */
    const begin = async (config: PoolConfig = {}, options: WorkerOptions = {}) => {
      const events = recordEvents();
      const client = createClient({ stateAdapter: open(config), jobTypes, observers: [events.observer] });
      const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const processors = createProcessors({
        client,
        jobTypes,
        processors: {
          held: async () => {
            begun.resolve();
            await go.promise;
            return "done";
          },
          free: async (context) => context.job.input,
        },
      });
      const worker = createWorker({ client, processors: [processors], pollIntervalMs: 50, ...options });
      ends.push(
        () => client.close(),
        () => worker.stop({ timeoutMs: 1_000 }),
      );
      await worker.start();
      const outside = createClient({ stateAdapter: open(), jobTypes });
      const chain = await outside.startChain({ typeName: "held", input: null });
      await begun.promise;
      const runNeighbours = async () => {
        const items = Array.from({ length: 20 }, (_, input) => ({ typeName: "free", input }) as const);
        const chains = await outside.startChains({ items });
        await Promise.all(chains.map((each) => outside.awaitChain(each, { timeoutMs: 30_000 })));
      };
      const seen = (type: string) => events.all.filter((event) => event.type === type).length;
      const ended = () => outside.awaitChain(chain, { timeoutMs: 30_000 });
      return { events, seen, worker, chain, end: () => go.resolve(), runNeighbours, ended };
    };

    const rowOf = (id: string) => `select from "${schema}".open_job where job_id = '${id}' for update`;

    it.each([
      ["statement_timeout", "-c statement_timeout=150"],
      ["lock_timeout", "-c lock_timeout=20"],
      ["deadlock_timeout", "-c deadlock_timeout=20"],
    ])("a %s shorter than the waits for locks is not the store's absence", async (_name, options) => {
      const { seen, chain, end, runNeighbours, ended } = await begin({ options });
      const holder = await hold("row", rowOf(chain.id));
      end();
      await runNeighbours();
      await holder.release();
      expect(await ended()).toMatchObject({ output: "done" });
      expect([seen("store-lost"), seen("store-locked"), seen("lease-lost")]).toEqual([0, 0, 0]);
      expect(seen("job-completed")).toBe(21);
    });

    it("an outcome that waits for long is reported with the session that has locked its row, and the worker is healthy", async () => {
      const { events, worker, chain, end, runNeighbours, ended } = await begin();
      const holder = await hold("nightly report", rowOf(chain.id));
      end();
      const { holders, ...event } = await events.next("outcome-held-up");
      expect(event).toMatchObject({ jobId: chain.id, typeName: "held", attempt: 1 });
      expect(event.waitedMs).toBeGreaterThanOrEqual(3_000);
      expect(holders).toEqual([{ processId: holder.pid, application: "nightly report", openMs: expect.any(Number) }]);
      expect(worker.health()).toMatchObject({ status: "running", heldUp: { count: 1, holders } });
      await runNeighbours();
      await holder.release();
      await ended();
      expect(worker.health().heldUp).toBeUndefined();
    });

    it("of the jobs of a failed chain the release keeps the locked ones, and none that waits for a retry", async () => {
      const store = open();
      const gate = job("gate");
      const blockers = [{ chainId: gate.id, typeName: undefined }];
      const [locked, patient] = [job("held", { blockers }), job("held", { blockers, onBlockerFailure: "wait" })];
      await store.start([{ starts: [gate, locked, patient] }], {});
      await hold("row", rowOf(locked.id));
      const target = { chainId: gate.id, typeName: "gate" };
      await store.settle([{ target, kind: "failed", errors: "[]" }], {});
      const { rows } = await control.query(`select from_id, until_id from "${schema}".release`);
      expect(rows).toEqual([{ from_id: locked.id, until_id: locked.id }]);
    });

    it("an outcome whose waiting session is ended by the server is still settled, once", async () => {
      const application = `ended ${process.pid}`;
      const { seen, chain, end, ended } = await begin({ application_name: application });
      const holder = await hold("row", rowOf(chain.id));
      end();
      const endWaiting = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = $1 and wait_event_type = 'Lock' and query like '%settle_one_v1%'`;
      for (let times = 0; times < 2; times += 1)
        await expect
          .poll(async () => (await control.query(endWaiting, [application])).rowCount, {
            timeout: 20_000,
            interval: 20,
          })
          .toBeGreaterThan(0);
      await holder.release();
      expect(await ended()).toMatchObject({ output: "done" });
      expect([seen("job-completed"), seen("lease-lost")]).toEqual([1, 0]);
    });

    it("a locked table stops the worker, which reports that, and continues afterwards", async () => {
      const { events, seen, worker, end, runNeighbours, ended } = await begin();
      const holder = await hold("vacuum full", `lock table "${schema}".open_job in access exclusive mode`);
      end();
      await events.next("store-locked");
      expect(worker.health().status).toBe("store-locked");
      await holder.release();
      await events.next("store-restored");
      expect(await ended()).toMatchObject({ output: "done" });
      await runNeighbours();
      expect([seen("store-lost"), seen("lease-lost"), seen("job-completed")]).toEqual([0, 0, 21]);
    });

    it("a server that accepts no writes is reported differently from one that cannot be reached", async () => {
      const role = `read_only_${process.pid}`;
      await control.query(`create role ${role} superuser login`);
      ends.push(() => control.query(`drop role ${role}`));
      const asRole = new URL(url ?? "");
      asRole.username = role;
      const { events, seen, worker, end, ended } = await begin({ connectionString: asRole.href });
      await control.query(`alter role ${role} set default_transaction_read_only = on`);
      await control.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1", [role]);
      end();
      await events.next("store-read-only");
      expect(worker.health().status).toBe("store-read-only");
      // Connections to a server that accepts no writes are dropped; new ones work.
      await control.query(`alter role ${role} set default_transaction_read_only = off`);
      await events.next("store-restored");
      expect(await ended()).toMatchObject({ output: "done" });
      expect([seen("lease-lost"), seen("job-completed")]).toEqual([0, 1]);
    });
  },
);
