import { findBackend } from "@chainwright/backends/vitest";
import { Pool, type PoolConfig } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, completed, job, jobs, workerId } from "./jobs.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("calls on Postgres that need the same rows", { timeout: 30_000 }, () => {
  const schema = `same rows ${process.pid}`;
  const opened: Pool[] = [];
  let control: Pool;

  const open = (config: PoolConfig = {}) => {
    const pool = new Pool({ connectionString: url, max: 2, ...config });
    opened.push(pool);
    return { pool, store: createPostgresStateAdapter({ driver: pg(pool), schema }) };
  };

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

  it("do not deadlock when two start jobs blocked by the same chains in opposite order", async () => {
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
    const { store } = open({ options: "-c lock_timeout=5s" });
    const [first, second] = jobs(2, "passed by");
    await store.start([{ starts: [first, second].filter((each) => each !== undefined) }], {});
    await store.transaction(async (tx) => {
      await store.cancel([{ chainId: first?.id ?? "", reason: undefined }], { tx });
      expect(await claim(store, ["passed by"], 2)).toMatchObject([{ id: second?.id }]);
    });
  });

  it("renew other leases while an open transaction has locked one of the rows", async () => {
    // The call must not wait; the timeout ends the test if it does.
    const { store } = open({ options: "-c lock_timeout=5s" });
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

  it("do not deadlock when two start jobs with the same deduplication keys in opposite order", async () => {
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

  it("begin a batch whose calls ask for the same key", async () => {
    const { store } = open();
    const keyed = (key: string, blockers: Parameters<typeof job>[1] = {}) =>
      job("met", { deduplication: { key, scope: "active", windowMs: undefined }, ...blockers });
    const parent = keyed("b", { blockers: [{ start: keyed("k") }] });
    const replies = await store.start([{ starts: [parent] }, { starts: [keyed("a"), keyed("k")] }], {});
    expect(replies.map(({ ok }) => ok)).toEqual([true, true]);
  });
});
