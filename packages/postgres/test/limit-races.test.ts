import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, Outcome } from "chainwright/adapter";
import type { Pool, PoolClient } from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { job, completed, jobs, workerId } from "./jobs.ts";
import { claimLimited, declare, exchangeLimited, limits, places, startLimited, tokens } from "./limit-stores.ts";
import type { Gates } from "./overlaps/gates.ts";
import { openRaceStore } from "./overlaps/race-store.ts";

const url = await findBackend("postgres");
const tables = ["job", "open_job", "deduplication", "parked", "kept", "lane", "place", "token", "gate_event"];

describe.skipIf(url === undefined)("claims of jobs under limits beside others", { timeout: 120_000 }, () => {
  const schema = `limit races ${process.pid}`;
  const s = `"${schema}"`;
  let pool: Pool;
  let gates: Gates;
  let stopped: StateAdapter<PoolClient>;
  let other: StateAdapter<PoolClient>;

  const opened = openRaceStore(url, schema);
  beforeAll(() => {
    ({ pool, gates, stopped, other } = opened());
  });

  const emptied = async () => {
    await opened().empty(tables);
  };
  beforeEach(emptied);

  const keyed = (key: string, details: Partial<JobStart> = {}) =>
    job("a", { limits: limits(["tenant", key]), ...details });
  const debounced = (key: string, quietMs: number, maxWaitMs: number) => {
    const deduplication = { key: "k", scope: "debounce", quietMs, maxWaitMs } as const;
    return keyed(key, { deduplication });
  };

  const faults = async () => {
    const found: string[] = [];
    for (const check of ["jobs", "leases", "blockers", "keys"] as const) {
      const request = { check, after: undefined, limit: 1_000, heldBeforeMs: 3_600_000, timeMs: 10_000 };
      found.push(...(await other.inspect(request, {})).faults.map(({ kind, id }) => `${kind} ${id}`));
    }
    return found;
  };

  /** Locks rows in a transaction that stays open while `during` runs. */
  const beside = async (first: (tx: PoolClient) => Promise<unknown>, during: () => Promise<void>) => {
    const undo = new Error("undo");
    const ended = other.transaction(async (tx) => {
      await first(tx);
      await during();
      throw undo;
    });
    await expect(ended).rejects.toBe(undo);
  };

  it("C8: a claim waits for no transaction that replaces the input of a job in a lane, and takes the other jobs of the lane", async () => {
    await declare(other, { tenant: places(1) });
    const now = Date.now();
    const [gathered, plain] = [debounced("acme", 10, 60_000), keyed("acme")];
    await other.start([{ starts: [keyed("acme")] }], { now });
    const [holder] = await claimLimited(other, 1, { now });
    await other.start([{ starts: [gathered] }, { starts: [plain] }], { now });
    expect(await claimLimited(other, 10, { now: now + 100 })).toEqual([]);
    await beside(
      (tx) => other.start([{ starts: [debounced("another", 10, 20)] }], { now: now + 200, tx }),
      async () => {
        const outcomes = holder === undefined ? [] : [completed(holder)];
        const { claimed } = await exchangeLimited(other, 10, { now: now + 200, outcomes });
        expect(claimed.map(({ id }) => id)).toEqual([plain.id]);
        await other.settle(
          claimed.map((each) => completed(each)),
          { now: now + 200 },
        );
        expect(await claimLimited(other, 10, { now: now + 2_000 })).toEqual([]);
      },
    );
    expect((await claimLimited(other, 10, { now: now + 3_000 })).map(({ id }) => id)).toEqual([gathered.id]);
    expect(await faults()).toEqual([]);
  });

  it.each([1, 3])(
    "C8: lanes whose jobs a transaction has locked keep none of the others from claims of %d",
    async (limit) => {
      await declare(other, { tenant: places(1) });
      const starts = Array.from({ length: 8 }, (_, n) => keyed(`t${n}`));
      await other.start([{ starts }], {});
      const [held] = await claimLimited(other, 1);
      await other.settle(held === undefined ? [] : [completed(held)], {});
      const rest = starts.filter(({ id }) => id !== held?.id).map(({ id }) => id);
      const locked = rest.slice(0, 4);
      const took: string[] = [];
      await beside(
        (tx) =>
          other.cancel(
            locked.map((chainId) => ({ chainId, reason: undefined })),
            { tx },
          ),
        async () => {
          for (let claims = 0; claims < 10; claims += 1)
            took.push(...(await claimLimited(other, limit)).map(({ id }) => id));
        },
      );
      expect(took.toSorted()).toEqual(rest.slice(4).toSorted());
      for (let claims = 0; claims < 10; claims += 1)
        took.push(...(await claimLimited(other, limit)).map(({ id }) => id));
      expect(took.toSorted()).toEqual(rest.toSorted());
      expect(await faults()).toEqual([]);
    },
  );

  it.each([
    { where: "in the lane of a full limit", isLimited: true, quietMs: 10 },
    { where: "scheduled", isLimited: false, quietMs: 20_500 },
  ])(
    "a job that is due $where and takes one more start is claimed next by a process that remembers places",
    async (given) => {
      const { isLimited, quietMs } = given;
      const own = createPostgresStateAdapter({ driver: pg(pool), schema });
      await declare(other, { tenant: places(1) });
      const now = Date.now();
      const gather = (...waits: readonly [quietMs: number, maxWaitMs: number]) => ({
        ...debounced("acme", ...waits),
        ...(isLimited ? {} : { limits: undefined }),
      });
      const first = gather(quietMs, 60_000);
      if (isLimited) await startLimited(other, 1, limits(["tenant", "acme"]), { now });
      const held = isLimited ? await claimLimited(other, 1, { now }) : [];
      await other.start([{ starts: [first] }], { now });
      if (isLimited) await claimLimited(other, 1, { now: now + 100 });
      // Claims remember where they began, because they have to skip the leased jobs.
      await own.start([{ starts: jobs(3_010, "b") }], { now });
      const look = async (limit: number, at: number) => {
        const types = ["a", "b"].map((typeName) => ({ typeName, leaseMs: 3_600_000 }));
        return (await own.exchange({ outcomes: [], claim: { workerId, types, limit, limited: true } }, { now: at }))
          .claimed;
      };
      await look(3_000, now);
      for (const at of [1_000, 10_000, 15_000, 20_000]) await look(1, now + at);
      const again = gather(10, 20);
      const [reply] = await other.start([{ starts: [again] }], { now: now + 21_000 });
      expect(reply).toMatchObject({ ok: true, value: [{ id: first.id }] });
      await other.settle(
        held.map((each) => completed(each)),
        { now: now + 21_000 },
      );
      expect((await look(20, now + 21_100)).map(({ id }) => id)).toContain(first.id);
    },
  );

  /** A lane with free places, one that waits for the end of a job, a retry that has kept its place, and jobs that become due. */
  const prepared = async () => {
    await emptied();
    await declare(other, { tenant: places(2), mail: tokens(100, 1_000) });
    const now = Date.now() - 10_000;
    const under = (key: string) => limits(["mail", "m"], ["tenant", key]);
    await startLimited(other, 3, under("full"), { now });
    await startLimited(other, 1, [{ limit: "tenant", key: "kept", holds: true }], { now });
    const leased = await claimLimited(other, 10, { now });
    expect(leased).toHaveLength(3);
    const [first] = leased;
    const kept = leased.find(({ limits: keys }) => keys?.[0]?.key === "kept");
    const retried: Outcome[] =
      kept === undefined
        ? []
        : [
            {
              target: { jobId: kept.id, workerId, fence: kept.fence },
              kind: "deferred",
              schedule: { afterMs: 10 },
              counted: true,
              errors: undefined,
            },
          ];
    await other.settle([...(first === undefined ? [] : [completed(first)]), ...retried], { now: now + 10 });
    await startLimited(other, 2, under("free"), { now: now + 20 });
    return { now };
  };

  /** Lanes come first, because they cannot fill the claim. Otherwise this is left to chance. */
  const claimAll = (store: StateAdapter<PoolClient>, now: number) => claimLimited(store, 11, { now, startable: 10 });

  it.each(["a limit that is raised", "a place that is given back"])(
    "C4: %s while a claim closes the lane of a full key lets its next job begin within a tenth of a second",
    async (what) => {
      const full = async () => {
        await emptied();
        // It remembers nothing of claims at later moments.
        const own = createPostgresStateAdapter({ driver: pg(pool), schema });
        await declare(own, { tenant: places(1) });
        const now = Date.now() - 10_000;
        await startLimited(own, 1, limits(["tenant", "acme"]), { now });
        const held = await claimLimited(own, 1, { now });
        expect(held).toHaveLength(1);
        const [next] = await startLimited(own, 1, limits(["tenant", "acme"]), { now });
        return { own, now, next, outcomes: held.map((each) => completed(each)) };
      };
      const first = await full();
      const visited = await gates.visited(async () => {
        expect(await claimLimited(stopped, 10, { now: first.now + 100 })).toEqual([]);
      });
      for (const gate of visited) {
        const { own, now, next, outcomes } = await full();
        const began: string[] = [];
        const look = async (store: StateAdapter<PoolClient>, afterMs: number, ends: readonly Outcome[] = []) => {
          const { claimed } = await exchangeLimited(store, 10, { now: now + afterMs, outcomes: ends });
          began.push(...claimed.map(({ id }) => id));
        };
        const during = async () => {
          if (what === "a limit that is raised") await declare(own, { tenant: places(2) });
          await look(own, 110, what === "a limit that is raised" ? [] : outcomes);
        };
        await gates.overlap(() => look(stopped, 100), [{ gate, during }]);
        await look(own, 200);
        expect(began, gate).toEqual([next]);
      }
    },
  );

  it("a claim whose connection is killed between two statements leases nothing and loses no place; the next one takes all", async () => {
    const heldPlaces = async () => {
      const text = `select gate, n, job_id from ${s}.place where job_id is not null order by 1, 2`;
      return (await pool.query<{ gate: string; n: number; job_id: string }>(text)).rows;
    };
    const whole = await prepared();
    let expected: readonly ClaimedJob[] = [];
    const visited = await gates.visited(async () => {
      expected = await claimAll(stopped, whole.now + 1_000);
    });
    expect(expected).toHaveLength(4);
    expect(visited.length).toBeGreaterThan(30);
    // Each takes a third of a second, because the new connection compiles the functions.
    for (const gate of visited.filter((_, n) => n % 8 === 0)) {
      const { now } = await prepared();
      const before = await heldPlaces();
      const { rows } = await gates.stopped.query<{ pid: number }>("select pg_backend_pid() as pid");
      const outcomes: unknown[] = [];
      await gates.overlap(async () => {
        await claimAll(stopped, now + 1_000).then(
          (claimed) => outcomes.push(claimed.length),
          () => outcomes.push("failed"),
        );
      }, [
        { gate, during: async () => void (await pool.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid])) },
      ]);
      expect(outcomes, gate).toEqual(["failed"]);
      expect(await heldPlaces(), gate).toEqual(before);
      expect(await claimAll(other, now + 1_000), gate).toHaveLength(4);
      expect(await faults(), gate).toEqual([]);
    }
  });
});
