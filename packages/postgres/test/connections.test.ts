import { EventEmitter } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { findBackend } from "@chainwright/backends/vitest";
import { isChainwrightError, type StateAdapter } from "chainwright";
import { Pool, type PoolConfig } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import postgres from "postgres";
import type { TransactionSql } from "postgres";
import { pg } from "../src/drivers/pg.ts";
import { pglite } from "../src/drivers/pglite.ts";
import { postgresJs } from "../src/drivers/postgres-js.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { openPGlite } from "./clients.ts";
import { claim, completed, job, jobs, workerId } from "./jobs.ts";
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
    // Exact to the millisecond, whatever format the settings give to moments and numbers.
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

  it("cost three round trips per call if the role has another isolation level, and one if the pool sets read committed", async () => {
    const role = `isolated_${process.pid}`;
    await control.query(`create role ${role} superuser login`);
    await control.query(`alter role ${role} set default_transaction_isolation = 'serializable'`);
    const wire = await openWire(url ?? "");
    const asRole = new URL(wire.url);
    asRole.username = role;
    const tripsWith = async (config: PoolConfig): Promise<number> => {
      const { store } = open({ connectionString: asRole.href, max: 1, ...config });
      await store.start([{ starts: [job("isolated")] }], {});
      wire.count();
      await store.start([{ starts: [job("isolated")] }], {});
      return wire.count();
    };
    try {
      expect(await tripsWith({})).toBe(3);
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

  it("do not deadlock when two of them start jobs blocked by the same chains in opposite order", async () => {
    const { store } = open({ max: 10 });
    const blockers = jobs(10, "crossed");
    await store.start([{ starts: blockers }], {});
    const ids = blockers.map(({ id }) => id);
    const starts = Array.from({ length: 40 }, (_, index) =>
      job("dependent", {
        blockers: (index % 2 === 0 ? ids : ids.toReversed()).map((chainId) => ({ chainId, typeName: "crossed" })),
      }),
    );
    const replies = await Promise.all(starts.map((start) => store.start([{ starts: [start] }], {})));
    expect(replies.flat().every(({ ok }) => ok)).toBe(true);
  });

  it("do not deadlock when one starts a job blocked by chains while these end", async () => {
    const application = `ring ${process.pid}`;
    const { store } = open({ application_name: application, max: 3 });
    // Inside a transaction it would read the same snapshot each time.
    const onlooker = open({ max: 1 }).pool;
    const blockers = jobs(3, "ring").toSorted((left, right) => (left.id < right.id ? -1 : 1));
    await store.start([{ starts: blockers }], {});
    const held = await claim(store, ["ring"], 3);
    const blockedByAll = job("dependent", {
      blockers: blockers.map(({ id }) => ({ chainId: id, typeName: "ring" })),
    });
    // Both stop at the chain in the middle, each with the locks it has by then.
    await control.query("begin");
    await control.query(`select from "${schema}".job where id = $1 for update`, [blockers[1]?.id]);
    const calls = [
      store.start([{ starts: [blockedByAll] }], {}),
      store.settle(
        held.map((each) => completed(each)),
        {},
      ),
    ];
    const waiting = "select from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
    await expect.poll(async () => (await onlooker.query(waiting, [application])).rowCount, { timeout: 20_000 }).toBe(2);
    await control.query("commit");
    await Promise.all(calls);
    expect(await claim(store, ["dependent"], 1)).toMatchObject([{ id: blockedByAll.id }]);
  });

  it("claim without waiting for rows that an open transaction has locked", async () => {
    // The call must not wait; the timeout ends the test if it does.
    const { store } = withSettings("lock_timeout=5s");
    const [first, second] = jobs(2, "passed by");
    await store.start([{ starts: [first, second].filter((each) => each !== undefined) }], {});
    await store.transaction(async (tx) => {
      await store.cancel([{ chainId: first?.id ?? "", reason: undefined }], { tx });
      expect(await claim(store, ["passed by"], 2)).toMatchObject([{ id: second?.id }]);
    });
  });

  it("renew other leases while an open transaction has locked one of the rows", async () => {
    // The call must not wait; the timeout ends the test if it does.
    const { store } = withSettings("lock_timeout=5s");
    await store.start([{ starts: jobs(2, "renewed") }], {});
    const held = await claim(store, ["renewed"], 2);
    const leases = held.map(({ id, fence }) => ({ jobId: id, fence, leaseMs: 60_000 }));
    await store.transaction(async (tx) => {
      await store.settle(
        held.slice(0, 1).map((each) => completed(each)),
        { tx },
      );
      expect(await store.renew({ workerId, held: leases }, {})).toMatchObject([
        { fence: { jobId: held[0]?.id }, reason: "busy" },
      ]);
    });
    expect(await store.renew({ workerId, held: leases }, {})).toMatchObject([{ reason: "completed-elsewhere" }]);
  });

  it("do not deadlock when two of them start jobs with the same deduplication keys in opposite order", async () => {
    const { store } = open({ max: 10 });
    const keys = Array.from({ length: 10 }, (_, index) => `crossed ${index}`);
    for (let round = 0; round < 5; round += 1) {
      const calls = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? keys : keys.toReversed()).map((key) =>
          job("crossed", { deduplication: { key: `${round} ${key}`, scope: "active", windowMs: undefined } }),
        ),
      );
      const replies = await Promise.all(calls.map((starts) => store.start([{ starts }], {})));
      const begun = replies.flat().flatMap((reply) => (reply.ok ? reply.value : []));
      expect(begun.filter(({ deduplicated }) => !deduplicated)).toHaveLength(keys.length);
    }
  });

  it("leave a deduplication key free if only starts that did not begin asked for it", async () => {
    const { store } = open();
    const keyed = (key: string, blockers: Parameters<typeof job>[1] = {}) =>
      job("keyed", { deduplication: { key, scope: "active", windowMs: undefined }, ...blockers });
    await store.start([{ starts: [keyed("taken")] }], {});
    const inline = keyed("inline");
    const parent = keyed("taken", { blockers: [{ start: inline }] });
    const [both] = await store.start([{ starts: [parent] }, { starts: [keyed("inline 2")] }], {});
    expect(both).toMatchObject({ ok: true, value: [{ deduplicated: true }] });
    const [free] = await store.start([{ starts: [keyed("inline")] }], {});
    expect(free).toMatchObject({ ok: true, value: [{ deduplicated: false }] });
    // First a start that does not begin asks for the key, then one that does.
    const again = keyed("taken", { blockers: [{ start: keyed("later") }] });
    const later = keyed("later");
    const [, second] = await store.start([{ starts: [again] }, { starts: [later] }], {});
    expect(second).toMatchObject({ ok: true, value: [{ id: later.id, deduplicated: false }] });
    const [third] = await store.start([{ starts: [keyed("later")] }], {});
    expect(third).toMatchObject({ ok: true, value: [{ id: later.id, deduplicated: true }] });
  });

  it("refuse a start that waits for a later start of the same batch, whatever their keys are", async () => {
    const { store } = open();
    const keyed = (key: string, blockers: Parameters<typeof job>[1] = {}) =>
      job("met", { deduplication: { key, scope: "active", windowMs: undefined }, ...blockers });
    const parent = keyed("b", { blockers: [{ start: keyed("k") }] });
    const replies = await store.start([{ starts: [parent] }, { starts: [keyed("a"), keyed("k")] }], {});
    expect(replies.map(({ ok }) => ok)).toEqual([true, true]);
  });
});

/** A server that accepts a connection and reports its shutdown in the same packet. */
async function startDyingServer() {
  const message = (kind: string, ...body: readonly (string | Buffer)[]) => {
    const content = Buffer.concat(body.map((part) => Buffer.from(part)));
    const head = Buffer.alloc(5, kind);
    head.writeInt32BE(content.length + 4, 1);
    return Buffer.concat([head, content]);
  };
  const goodbye = message("E", "SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I"), goodbye])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

it("a server that shuts down while it accepts a connection does not crash the process", async () => {
  const server = await startDyingServer();
  const pool = new Pool({ connectionString: server.url });
  const store = createPostgresStateAdapter({ driver: pg(pool) });
  await expect(store.count({})).rejects.toMatchObject({ code: "store-unavailable" });
  await pool.end();
  await server.close();
});

it("a statement whose reply was lost is not sent again, because it may have been carried out, and its connection is not used again", async () => {
  let sent = 0;
  const released: unknown[] = [];
  const client = Object.assign(new EventEmitter(), {
    query: () => {
      sent += 1;
      return Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    },
    release: (destroy: unknown) => void released.push(destroy),
  });
  const pool = Object.assign(new EventEmitter(), { connect: () => Promise.resolve(client), options: {} });
  const store = createPostgresStateAdapter({ driver: pg(pool) });
  await expect(store.start([{ starts: [job("a")] }], {})).rejects.toMatchObject({ code: "store-unavailable" });
  expect(sent).toBe(1);
  expect(released).toEqual([true]);
});

it("a pool has one listener for its errors, however many drivers use it, and keeps it when one driver is closed", async () => {
  const pool = new Pool({ connectionString: "postgres://user@127.0.0.1:1/none" });
  const stores = Array.from({ length: 20 }, () => createPostgresStateAdapter({ driver: pg(pool) }));
  await stores[0]?.close();
  expect([pool.listenerCount("error"), pool.listenerCount("acquire")]).toEqual([1, 1]);
  await pool.end();
});

describe("the one connection of PGlite", () => {
  it("refuses a call that would wait for the transaction around it, and says why", { timeout: 30_000 }, async () => {
    const client = await openPGlite();
    const { database } = client;
    const store = createPostgresStateAdapter({ driver: pglite(database, { patienceMs: 20 }) });
    await store.migrate();
    const chain = job("a");
    const waiting = store.transaction(async (tx) => {
      await store.start([{ starts: [chain] }], { tx });
      await store.getChains([chain.id], {});
    });
    await expect(waiting).rejects.toMatchObject({ code: "invalid-input" });
    expect(await store.getChains([chain.id], {})).toEqual([undefined]);
    await client.end();
  });
});
