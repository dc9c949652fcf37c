import { findBackend } from "@chainwright/backends/vitest";
import { createClient, createProcessors, createWorker, defineJobTypes, type StateAdapter } from "chainwright";
import type { AwaitedChain, CallOptions, ClaimedJob, Hint, SettleReply } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../src/drivers/pg.ts";
import { createPostgresNotifyAdapter, createPostgresStateAdapter } from "../src/index.ts";
import { claimOf, completed, job, workerId } from "./jobs.ts";

const url = await findBackend("postgres");

/** The chains that the replies to outcomes report as awaited. */
function awaitedOf(replies: readonly SettleReply[]): readonly string[] {
  return replies.flatMap((reply) => (reply.status === "settled" ? (reply.awaited ?? []) : []));
}

function failed({ id, fence }: ClaimedJob) {
  return { target: { jobId: id, workerId, fence }, kind: "failed", errors: "[]" } as const;
}

describe.skipIf(url === undefined)("the end of a chain that a process awaits", () => {
  const schema = `awaited ${process.pid}`;
  let pool: Pool;
  let store: StateAdapter<PoolClient>;

  beforeAll(async () => {
    pool = new Pool({ connectionString: url, max: 6 });
    store = createPostgresStateAdapter({ driver: pg(pool), schema });
    await store.migrate();
  });
  afterAll(async () => {
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
  });

  const begin = async (...starts: readonly ReturnType<typeof job>[]): Promise<readonly ClaimedJob[]> => {
    await store.start([{ starts }], {});
    const typeNames = [...new Set(starts.map(({ typeName }) => typeName))];
    return (await store.exchange({ outcomes: [], claim: claimOf(typeNames, starts.length) }, {})).claimed;
  };
  const note = async (
    ids: readonly string[],
    options: CallOptions<PoolClient> = {},
  ): Promise<readonly AwaitedChain[]> => (await store.noteAwaited?.(ids, options)) ?? [];
  const inTransaction = async <T>(level: string, run: (tx: PoolClient) => Promise<T>): Promise<T> => {
    const tx = await pool.connect();
    try {
      await tx.query(`begin isolation level ${level}`);
      return await run(tx);
    } finally {
      await tx.query("rollback");
      tx.release();
    }
  };

  it("is reported, and that of no other chain, by one outcome and by many", async () => {
    const held = await begin(job("a"), job("a"), job("a"), job("a"));
    const [first, second, third, fourth] = held;
    if (!first || !second || !third || !fourth) throw new Error("four jobs must be claimed");
    const noted = await note([first.chainId, third.chainId]);
    expect(noted).toMatchObject([first, third].map(({ chainId }) => ({ chain: { id: chainId }, isNoted: true })));
    expect(awaitedOf(await store.settle([completed(first)], {}))).toEqual([first.chainId]);
    expect(awaitedOf(await store.settle([completed(second)], {}))).toEqual([]);
    const { settled } = await store.exchange({ outcomes: [completed(third), completed(fourth)], claim: undefined }, {});
    expect(awaitedOf(settled)).toEqual([third.chainId]);
  });

  it("is reported where a blocker fails it, and where it is cancelled", async () => {
    const blocker = job("blocker");
    const dependents = [job("b"), job("b")].map((each) => ({
      ...each,
      blockers: [{ chainId: blocker.id, typeName: "blocker" }],
    }));
    const [held] = await begin(blocker);
    await store.start([{ starts: dependents }], {});
    const [dependent] = dependents;
    if (!held || !dependent) throw new Error("both must be there");
    await note([dependent.id]);
    const [reply] = await store.settle([failed(held)], {});
    expect(reply).toMatchObject({ status: "settled", awaited: [dependent.id], failed: [{}, {}] });

    const [cancelled, other] = [job("c"), job("c")];
    await store.start([{ starts: [cancelled, other] }], {});
    await note([cancelled.id]);
    const items = [cancelled, other].map(({ id }) => ({ chainId: id, reason: undefined }));
    const cancellation = await store.cancel(items, {});
    expect(cancellation.ok && cancellation.value.map(({ awaited }) => awaited)).toEqual([[cancelled.id], undefined]);
  });

  it("is reported in a transaction that does not see the note when it begins", async () => {
    const [held] = await begin(job("d"));
    if (!held) throw new Error("it must be claimed");
    await inTransaction("read committed", async (tx) => {
      await tx.query("select 1");
      await note([held.chainId]);
      expect(awaitedOf(await store.settle([completed(held)], { tx }))).toEqual([held.chainId]);
    });
    await inTransaction("repeatable read", async (tx) => {
      expect(awaitedOf(await store.settle([completed(held)], { tx }))).toEqual([held.chainId]);
    });
  });

  it("is not noted while a transaction ends the chain, and the call does not wait for that one", async () => {
    const [held] = await begin(job("e"));
    if (!held) throw new Error("it must be claimed");
    await inTransaction("read committed", async (tx) => {
      await store.settle([completed(held)], { tx });
      expect(await note([held.chainId])).toMatchObject([{ chain: { status: "active" }, isNoted: false }]);
    });
    // It was rolled back.
    expect(await note([held.chainId])).toMatchObject([{ isNoted: true }]);
    expect(await note([held.chainId])).toMatchObject([{ isNoted: true }]);
    await store.settle([completed(held)], {});
    const unknown = job("e").id;
    expect(await note([held.chainId, unknown])).toMatchObject([
      { chain: { status: "completed", output: "true" }, isNoted: false },
      { chain: undefined, isNoted: false },
    ]);
  });

  it("is reported where a continuation fails as it is written, because its blocker has failed", async () => {
    const blocker = job("f-blocker");
    const [held] = await begin(blocker);
    if (!held) throw new Error("it must be claimed");
    await store.settle([failed(held)], {});
    const [chain] = await begin(job("f-first"));
    if (!chain) throw new Error("it must be claimed");
    await note([chain.chainId]);
    const next = job("f-next", { blockers: [{ chainId: blocker.id, typeName: "f-blocker" }] });
    const target = { jobId: chain.id, workerId, fence: chain.fence };
    const [reply] = await store.settle([{ target, kind: "continued", next }], {});
    expect(reply).toMatchObject({ started: [{ status: "failed" }], awaited: [chain.chainId] });
  });

  it("is announced to other processes, and that of no other chain", async () => {
    const prefix = `awaited_${process.pid}`;
    const notify = () => createPostgresNotifyAdapter({ driver: pg(pool), channelPrefix: prefix });
    const heard: Hint[] = [];
    const listener = notify();
    await listener.subscribe({
      onMessage: ({ hints }) => void heard.push(...hints),
      onLost: () => {},
      onRestored: () => {},
    });
    const jobTypes = defineJobTypes<{ job: { entry: true; input: number; output: number } }>();
    const gate = Promise.withResolvers<void>();
    const open = () => createClient({ stateAdapter: store, notifyAdapter: notify(), jobTypes });
    const [starting, working] = [open(), open()];
    const processors = createProcessors({
      client: working,
      jobTypes,
      processors: {
        job: async ({ job: { input } }) => {
          await gate.promise;
          return input;
        },
      },
    });
    const worker = createWorker({ client: working, processors: [processors] });
    await worker.start();
    const [awaited, other] = await starting.startChains({
      items: [
        { typeName: "job", input: 1 },
        { typeName: "job", input: 2 },
      ],
    });
    const end = starting.awaitChain(awaited);
    const isNoted = async () => {
      const text = `select awaited from "${schema}".job where id = $1`;
      return (await pool.query<{ awaited: boolean }>(text, [awaited.id])).rows;
    };
    await expect.poll(isNoted).toEqual([{ awaited: true }]);
    gate.resolve();
    expect((await end).output).toBe(1);
    await expect.poll(async () => (await store.getChains([other.id], {}))[0]?.status).toBe("completed");
    await worker.stop();
    // Its last message has left.
    await working.close();
    const ended = () => heard.flatMap((hint) => (hint.kind === "ended" ? [hint.chainId] : []));
    await expect.poll(ended).toContain(awaited.id);
    await expect.poll(() => heard).toContainEqual({ kind: "left", workerId: worker.id });
    expect(ended()).toEqual([awaited.id]);
    await starting.close();
    await listener.close();
  });
});
