import { findBackend } from "@chainwright/backends/vitest";
import { isChainwrightError, type StateAdapter } from "chainwright";
import { Pool, type PoolConfig } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import postgres from "postgres";
import type { TransactionSql } from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job } from "./jobs.ts";
import { openWire } from "./wire.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("the connections of the Postgres state adapter", { timeout: 30_000 }, () => {
  const schema = `connections ${process.pid}`;
  const opened: Pool[] = [];
  let control: Pool;

  const open = (config: PoolConfig = {}, prepare = true) => {
    const pool = new Pool({ connectionString: url, max: 2, ...config });
    opened.push(pool);
    return { pool, store: createPostgresStateAdapter({ driver: pg(pool, { prepare }), schema }) };
  };
  const withSettings = (...settings: string[]) =>
    open({ options: settings.map((each) => `-c ${each.replaceAll(" ", "\\ ")}`).join(" ") });

  beforeAll(async () => {
    control = new Pool({ connectionString: url, max: 1 });
    await open().store.migrate();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pool) => pool.end()));
  });

  afterAll(async () => {
    await control.query(`drop schema "${schema}" cascade`);
    await control.end();
  });

  const serverTime = async (): Promise<number> => {
    const { rows } = await control.query<{ now: string }>(
      "select floor(extract(epoch from clock_timestamp()) * 1000) as now",
    );
    return Number(rows[0]?.now);
  };
  const roundTrip = async <Tx>({ store }: { readonly store: StateAdapter<Tx> }, typeName: string) => {
    const chain = job(typeName);
    const before = await serverTime();
    await store.start([{ starts: [chain] }], {});
    const [held] = await claim(store, [typeName], 1);
    if (held === undefined) throw new Error("the job is claimed");
    await store.transaction((tx) => store.settle([completed(held)], { tx }));
    const [ended] = await store.getChains([chain.id], {});
    expect(ended).toMatchObject({ status: "completed" });
    // Exact to the millisecond with every setting for the format of times and numbers.
    expect(ended?.createdAt).toBeGreaterThanOrEqual(before);
    expect(ended?.createdAt).toBeLessThanOrEqual(await serverTime());
  };

  it("can be a single one", async () => {
    const single = open({ max: 1 });
    await Promise.all(Array.from({ length: 20 }, (_, index) => roundTrip(single, `one-${index}`)));
  });

  it.each([
    "default_transaction_isolation=repeatable read",
    "default_transaction_isolation=serializable",
    "search_path=",
    "TimeZone=Pacific/Chatham",
    "DateStyle=German",
    "extra_float_digits=-2",
    "standard_conforming_strings=off",
    "enable_nestloop=off",
    "plan_cache_mode=force_custom_plan",
  ])("works under %s", async (setting) => {
    await roundTrip(withSettings(setting), setting);
  });

  it("cost three round trips per call if the role has another isolation level, one for a start alone and one if the pool sets read committed", async () => {
    const role = `isolated_${process.pid}`;
    await control.query(`create role ${role} superuser login`);
    await control.query(`alter role ${role} set default_transaction_isolation = 'serializable'`);
    const wire = await openWire(url ?? "");
    const asRole = new URL(wire.url);
    asRole.username = role;
    const tripsWith = async (config: PoolConfig, chains = 2): Promise<number> => {
      const { store } = open({ connectionString: asRole.href, max: 1, ...config });
      const start = () => store.start([{ starts: Array.from({ length: chains }, () => job("isolated")) }], {});
      await start();
      wire.count();
      await start();
      return wire.count();
    };
    try {
      expect(await tripsWith({})).toBe(3);
      // One plain insert is right at any level.
      expect(await tripsWith({}, 1)).toBe(1);
      expect(await tripsWith({ options: "-c default_transaction_isolation=read\\ committed" })).toBe(1);
    } finally {
      await Promise.all(opened.splice(0).map((pool) => pool.end()));
      await wire.close();
      await control.query(`drop role ${role}`);
    }
  });

  it.each(["repeatable read", "serializable"])(
    "have read committed transactions if the default is %s",
    async (level) => {
      const { store } = withSettings(`default_transaction_isolation=${level}`);
      const seen = await store.transaction(async (tx) => {
        const { rows } = await tx.query<{ transaction_isolation: string }>("show transaction_isolation");
        return rows;
      });
      expect(seen).toEqual([{ transaction_isolation: "read committed" }]);
    },
  );

  it("work when prepared statements disappear", async () => {
    const pooled = open({ max: 1 });
    await roundTrip(pooled, "gone");
    await pooled.pool.query("deallocate all");
    const chain = job("gone");
    await pooled.store.start([{ starts: [chain] }], {});
    expect(await pooled.store.getChains([chain.id], {})).toMatchObject([{ id: chain.id }]);
    await roundTrip(pooled, "gone-2");
  });

  it("prepare nothing with the option prepare: false", async () => {
    const unprepared = open({ max: 1 }, false);
    await roundTrip(unprepared, "unprepared");
    const { rows } = await unprepared.pool.query("select name from pg_prepared_statements");
    expect(rows).toEqual([]);
  });

  it("prepare a statement once per connection", async () => {
    const prepared = open({ max: 1 });
    for (let each = 0; each < 5; each += 1) await roundTrip(prepared, "prepared");
    const { rows } = await prepared.pool.query<{ times: string }>(
      "select count(*) as times from pg_prepared_statements where statement like '%claim_v1%'",
    );
    expect(rows).toEqual([{ times: "1" }]);
  });

  it("are replaced after the server has ended all of them, idle ones and one in a transaction", async () => {
    const application = `terminated ${process.pid}`;
    const cut = open({ application_name: application, max: 3 });
    await Promise.all([roundTrip(cut, "t1"), roundTrip(cut, "t2"), roundTrip(cut, "t3")]);
    const chain = job("t4");
    const lost = cut.store.transaction(async (tx) => {
      await cut.store.start([{ starts: [chain] }], { tx });
      const terminate = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1";
      await control.query(terminate, [application]);
    });
    await expect(lost).rejects.toMatchObject({ code: "store-unavailable" });
    // A pool may still hand out a connection whose end it has not noticed.
    await expect
      .poll(async () => cut.store.getChains([chain.id], {}).catch((error: unknown) => error), { timeout: 5_000 })
      .toEqual([undefined]);
    await roundTrip(cut, "t5");
  });

  it("are replaced after the network broke during calls", async () => {
    const wire = await openWire(url ?? "");
    const cut = open({ connectionString: wire.url, max: 4 });
    await roundTrip(cut, "w1");
    const calls = Array.from({ length: 8 }, () => cut.store.start([{ starts: [job("w2")] }], {}));
    wire.cut();
    const failed = (await Promise.allSettled(calls)).filter((call) => call.status === "rejected");
    expect(failed.filter(({ reason }) => !isChainwrightError(reason, "store-unavailable"))).toEqual([]);
    await expect.poll(async () => roundTrip(cut, "w3").then(() => "works", String), { timeout: 5_000 }).toBe("works");
    await Promise.all(opened.splice(0).map((pool) => pool.end()));
    await wire.close();
  });

  it.each<{ when: string; next: (store: StateAdapter<TransactionSql>, tx: TransactionSql) => Promise<unknown> }>([
    { when: "while it does something else", next: async () => undefined },
    { when: "before it starts more", next: (store, tx) => store.start([{ starts: [job("w4")] }], { tx }) },
    { when: "before the caller sends more", next: async (_, tx) => tx.unsafe("select 1") },
    { when: "before the caller asks for more", next: async (_, tx) => tx`select 1` },
  ])("a transaction of postgres.js whose connection broke $when fails, and nothing else does", async ({ next }) => {
    const wire = await openWire(url ?? "");
    const closed = Promise.withResolvers<void>();
    const sql = postgres(wire.url, { max: 1, onnotice: () => {}, onclose: () => setImmediate(closed.resolve) });
    const store = createPostgresStateAdapter({ driver: postgresJs(sql), schema });
    const chain = job("w4");
    const broken = store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      wire.cut();
      await closed.promise;
      await next(store, tx);
    });
    await expect(broken).rejects.toMatchObject({ code: "store-unavailable" });
    await expect.poll(async () => roundTrip({ store }, "w5").then(() => "works", String)).toBe("works");
    expect(await store.getChains([chain.id], {})).toEqual([undefined]);
    await sql.end();
    await wire.close();
  });

  it("report that the store cannot be reached if no server listens", async () => {
    const unreachable = open({ connectionString: "postgres://postgres@127.0.0.1:1/postgres" });
    await expect(unreachable.store.count({})).rejects.toMatchObject({ code: "store-unavailable" });
    await expect(unreachable.store.transaction(async () => {})).rejects.toMatchObject({ code: "store-unavailable" });
  });

  it("report a server that accepts no writes, and work when it accepts them again", async () => {
    const standby = open({ max: 1 });
    await roundTrip(standby, "r1");
    await standby.pool.query("set default_transaction_read_only = on");
    await expect(standby.store.start([{ starts: [job("r2")] }], {})).rejects.toMatchObject({
      code: "store-unavailable",
    });
    await standby.pool.query("set default_transaction_read_only = off");
    await roundTrip(standby, "r3");
  });

  it("report a lock that was not granted in time as a conflict, which may be tried again", async () => {
    const [holder, hasty] = [open(), withSettings("lock_timeout=50ms")];
    const chain = job("locked");
    await holder.store.start([{ starts: [chain] }], {});
    await holder.store.transaction(async (tx) => {
      await holder.store.cancel([{ chainId: chain.id, reason: undefined }], { tx });
      const error = await hasty.store
        .cancel([{ chainId: chain.id, reason: undefined }], {})
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "transaction-conflict" });
      expect(hasty.store.isConflict(error)).toBe(true);
    });
    await roundTrip(hasty, "locked-2");
  });

  it("work after a statement that took too long", async () => {
    const hasty = withSettings("statement_timeout=100ms");
    const slow = hasty.store.transaction(async (tx) => tx.query("select pg_sleep(5)"));
    await expect(slow).rejects.toMatchObject({ code: "57014" });
    await roundTrip(hasty, "slow");
  });

  it("work after a transaction that was idle for too long", async () => {
    const idle = open();
    const chain = job("idle");
    const lost = idle.store.transaction(async (tx) => {
      await idle.store.start([{ starts: [chain] }], { tx });
      const ended = new Promise((resolve) => tx.once("end", resolve));
      await tx.query("set local idle_in_transaction_session_timeout = '50ms'");
      await ended;
    });
    await expect(lost).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await idle.store.getChains([chain.id], {})).toEqual([undefined]);
    await roundTrip(idle, "idle-2");
  });

  it("do not report a transaction in which a statement failed as committed", async () => {
    const { store } = open({ max: 1 });
    const chain = job("swallowed");
    const swallowed = store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      await tx.query("select 1 / 0").catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow("rolled back");
    expect(await store.getChains([chain.id], {})).toEqual([undefined]);
  });

  it("leave the caller's errors in a transaction unchanged", async () => {
    const { store } = open();
    await expect(store.transaction(async (tx) => tx.query("select 1 / 0"))).rejects.toMatchObject({ code: "22012" });
  });
});
