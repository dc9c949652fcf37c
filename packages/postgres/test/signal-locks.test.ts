import { randomUUID } from "node:crypto";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, JobWait, Outcome, SentSignal } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../src/index.ts";
import { claim, claimOf, completed, job, jobs, workerId } from "./jobs.ts";

const url = await findBackend("postgres");
const waitMs = 100;

const sent = (): SentSignal & { readonly signalId: string } => {
  return { typeName: "w", signal: "go", payload: "{}", signalId: randomUUID(), context: undefined };
};
const waits = (wait: Partial<JobWait> = {}, details: Partial<JobStart> = {}) =>
  job("w", { waits: { until: undefined, ...wait }, ...details });
const continued = ({ id: jobId, fence }: ClaimedJob, next: JobStart): Outcome => {
  return { target: { jobId, workerId, fence }, kind: "continued", next };
};

describe.skipIf(url === undefined)("signals beside transactions that stay open", { timeout: 60_000 }, () => {
  const schema = `signal locks ${process.pid}`;
  const s = `"${schema}"`;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 6 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });

  afterAll(async () => {
    await pool.query(`drop schema ${s} cascade`);
    await pool.end();
  });

  beforeEach(async () => {
    const tables = ["job", "open_job", "blocker", "signal", "topic", "publication"];
    await pool.query(tables.map((table) => `delete from ${s}.${table}`).join("; "));
  });

  const running = async (count: number): Promise<readonly [ClaimedJob, ...ClaimedJob[]]> => {
    await store.start([{ starts: jobs(count, "a") }], {});
    const [first, ...others] = await claim(store, ["a"], count);
    if (first === undefined) throw new Error("nothing was claimed");
    return [first, ...others];
  };

  /** The second step of a chain, which is running. */
  const secondStep = async (): Promise<ClaimedJob> => {
    const [first] = await running(1);
    await store.settle([continued(first, job("b"))], {});
    const [second] = await claim(store, ["b"], 1);
    if (second === undefined) throw new Error("nothing was claimed");
    return second;
  };

  /** Runs `during` while a transaction is open in which `first` was called. */
  const beside = async (first: (tx: PoolClient) => Promise<unknown>, during: () => Promise<void>) => {
    const undo = new Error("undo");
    const ended = store.transaction(async (tx) => {
      await first(tx);
      await during();
      throw undo;
    });
    await expect(ended).rejects.toBe(undo);
  };

  const holdsFirstRow = (chainId: string) => (tx: PoolClient) =>
    tx.query(`select from ${s}.job where id = $1 for no key update`, [chainId]);

  it("a step that waits next is busy while another transaction holds its chain, and the other outcomes of the batch are settled", async () => {
    const held = await secondStep();
    const others = await running(2);
    await beside(holdsFirstRow(held.chainId), async () => {
      const outcomes = [continued(held, waits()), ...others.map((each) => completed(each))];
      const replies = await store.settle(outcomes, { waitMs });
      expect(replies.map(({ status }) => status)).toEqual(["busy", "settled", "settled"]);
      expect((await store.getJobs([held.id], {}))[0]?.status).toBe("running");
    });
    expect((await store.settle([continued(held, waits())], { waitMs }))[0]?.status).toBe("settled");
  });

  it("a step that waits next for a topic is busy while a publication to it is not committed, and others are not", async () => {
    const [first, second] = await running(2);
    if (second === undefined) throw new Error("one job is missing");
    await beside(
      (tx) => store.signal([{ topic: "t", keepMs: 60_000, ...sent() }], { tx }),
      async () => {
        const outcomes = [continued(first, waits({ topics: ["t"] })), continued(second, waits({ topics: ["other"] }))];
        const replies = await store.settle(outcomes, { waitMs });
        expect(replies.map(({ status }) => status)).toEqual(["busy", "settled"]);
      },
    );
  });

  it("a transaction that has signalled a running step holds up nothing but the end of its chain", async () => {
    const held = await secondStep();
    const [other] = await running(1);
    await beside(
      (tx) => store.signal([{ chainId: held.chainId, ...sent() }], { tx }),
      async () => {
        const lease = { jobId: held.id, fence: held.fence, leaseMs: 60_000 };
        expect(await store.renew({ workerId, held: [lease] }, {})).toEqual([]);
        const outcomes = [continued(held, job("c")), completed(other)];
        expect((await store.settle(outcomes, { waitMs })).map(({ status }) => status)).toEqual(["settled", "settled"]);
        const [last] = await claim(store, ["c"], 1);
        expect(await store.settle(last === undefined ? [] : [completed(last)], { waitMs })).toEqual([
          { status: "busy" },
        ]);
      },
    );
  });

  it("a claim waits for no transaction that signals a job whose time is over, and takes the others", async () => {
    const [late, other] = [waits({ until: { afterMs: 1 } }), waits({ until: { afterMs: 1 } })];
    await store.start([{ starts: [late, other] }], {});
    await beside(
      (tx) => store.signal([{ chainId: late.id, ...sent() }], { tx }),
      async () => expect((await claim(store, ["w"], 10)).map(({ id }) => id)).toEqual([other.id]),
    );
    expect(await claim(store, ["w"], 10)).toMatchObject([{ id: late.id, received: [] }]);
  });

  it("a signal rejects as a conflict where it would wait longer than it may, and writes nothing", async () => {
    const waiting = waits();
    await store.start([{ starts: [waiting] }], {});
    const item = { chainId: waiting.id, ...sent() };
    await beside(holdsFirstRow(waiting.id), async () => {
      await expect(store.signal([item], { waitMs })).rejects.toMatchObject({ code: "transaction-conflict" });
    });
    expect(await store.signal([item], { waitMs })).toMatchObject({ ok: true, value: [{ delivered: "taken" }] });
  });

  it("in a transaction that sees the past, no step begins to wait beside a signal that came since", async () => {
    const held = await secondStep();
    await store.signal([{ chainId: held.chainId, ...sent(), typeName: "later" }], {});
    const client = await pool.connect();
    try {
      await client.query("begin isolation level repeatable read");
      await client.query("select 1");
      await store.signal([{ chainId: held.chainId, ...sent() }], {});
      await expect(store.settle([continued(held, waits())], { tx: client })).rejects.toMatchObject({ code: "40001" });
      await client.query("rollback");
    } finally {
      client.release();
    }
    await store.settle([continued(held, waits())], {});
    expect(await claim(store, ["w"], 1)).toHaveLength(1);
  });

  it("in a transaction that sees the past, no signal stays beside a step that has begun to wait since", async () => {
    const held = await secondStep();
    const client = await pool.connect();
    const item = { chainId: held.chainId, ...sent() };
    try {
      await client.query("begin isolation level repeatable read");
      await client.query("select 1");
      await store.settle([continued(held, waits())], {});
      await expect(store.signal([item], { tx: client })).rejects.toMatchObject({ code: "40001" });
      await client.query("rollback");
    } finally {
      client.release();
    }
    expect(await store.signal([item], {})).toMatchObject({ ok: true, value: [{ delivered: "taken" }] });
  });

  it("a wait and a chain that others wait for meet signals without a ring, in batches in either order", async () => {
    for (let round = 0; round < 40; round += 1) {
      const [first, second] = await running(2);
      if (second === undefined) throw new Error("one job is missing");
      const target = waits();
      await store.start([{ starts: [target] }], {});
      const chains = [target.id, first.chainId, second.chainId];
      const blockedBy = (id: string) => job("fan", { blockers: [{ chainId: id, typeName: "w" }] });
      const items = (round % 2 === 0 ? chains : chains.toReversed()).map((chainId) => ({ chainId, ...sent() }));
      const settled = store.settle([continued(first, waits()), continued(second, blockedBy(target.id))], {});
      const [replies, reply] = await Promise.all([settled, store.signal(items, {})]);
      expect(replies.map(({ status }) => status)).toEqual(["settled", "settled"]);
      expect(reply.ok).toBe(true);
      const { claimed } = await store.exchange({ outcomes: [], claim: claimOf(["w"], 10) }, {});
      expect(claimed.map(({ chainId }) => chainId).toSorted()).toEqual([target.id, first.chainId].toSorted());
      await store.settle(
        claimed.map((each) => completed(each)),
        {},
      );
    }
  });
});
