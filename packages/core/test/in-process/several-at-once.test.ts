import { beforeEach, describe, expect, it } from "vitest";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { BlockerStart, JobStart } from "../../src/model/job-start.ts";
import type { StateAdapter } from "../../src/ports/state.ts";

let store: StateAdapter;

beforeEach(() => {
  store = createInProcessStateAdapter();
});

function job(id: string, options: Partial<JobStart> = {}): JobStart {
  const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
  return { id, typeName: "a", input: "1", priority: 0, schedule: undefined, blockers: [], ...rest, ...options };
}

function waitingFor(...ids: readonly string[]): { readonly blockers: readonly BlockerStart[] } {
  return { blockers: ids.map((chainId) => ({ chainId, typeName: undefined })) };
}

async function start(...jobs: readonly JobStart[]): Promise<void> {
  const [reply] = await store.start([{ starts: jobs }], {});
  expect(reply?.ok).toBe(true);
}

async function fail(id: string): Promise<void> {
  const target = { chainId: id, typeName: "a" };
  const [reply] = await store.settle([{ target, kind: "failed", errors: "[]" }], {});
  expect(reply?.status).toBe("settled");
}

const retry = (...ids: readonly string[]) =>
  store.retry(
    ids.map((chainId) => ({ chainId, input: undefined, typeName: undefined })),
    {},
  );

const cancel = (...ids: readonly string[]) =>
  store.cancel(
    ids.map((chainId) => ({ chainId, reason: `no ${chainId}` })),
    {},
  );

const statuses = async (...ids: readonly string[]) =>
  (await store.getChains(ids, {})).map((chain) => chain?.status ?? "none");

const ref = (id: string) => ({ jobId: id, chainId: id, typeName: "a" });
const orders = [
  ["A", "B"],
  ["B", "A"],
] as const;

describe("cancelling several chains at once", () => {
  it.each(orders)(
    "ends %s and %s as cancelled although B waits for A, and reports neither as failed",
    async (...ids) => {
      await start(job("A"), job("B", waitingFor("A")), job("C", waitingFor("B")));
      const reply = await cancel(...ids);
      expect(await statuses("A", "B", "C")).toEqual(["cancelled", "cancelled", "failed"]);
      const [b] = await store.getChains(["B"], {});
      expect(b?.reason).toBe("no B");
      const value = reply.ok ? reply.value : [];
      expect(value.map(({ chainId }) => chainId)).toEqual(ids);
      expect(value.flatMap(({ failed }) => failed)).toEqual([ref("C")]);
    },
  );
});

describe("retrying several chains at once", () => {
  it.each(orders)(
    "reopens %s and %s although B failed because of A: B is blocked, and reported once",
    async (...ids) => {
      await start(job("A"), job("B", waitingFor("A")), job("C", waitingFor("B")));
      await fail("A");
      const reply = await retry(...ids);
      expect(await statuses("A", "B", "C")).toEqual(["active", "active", "active"]);
      const value = reply.ok ? reply.value : [];
      const jobs = value.map(({ job: { jobId, status } }) => [jobId, status]);
      expect(jobs).toEqual(ids.map((id) => [id, id === "A" ? "ready" : "blocked"]));
      expect(value.flatMap(({ reblocked }) => reblocked)).toEqual([ref("C")]);
      await settleInTurn("A", "B", "C");
    },
  );

  it("reopens a chain whose blocker is reopened as a consequence", async () => {
    await start(job("A"), job("B", waitingFor("A")), job("C", waitingFor("B")));
    await fail("A");
    const reply = await retry("C", "A");
    const value = reply.ok ? reply.value : [];
    expect(value.map(({ job: { status } }) => status)).toEqual(["blocked", "ready"]);
    expect(value.flatMap(({ reblocked }) => reblocked)).toEqual([ref("B")]);
    await settleInTurn("A", "B", "C");
  });

  it("replaces the input of a chain that had failed because of another one", async () => {
    await start(job("A"), job("B", waitingFor("A")));
    await fail("A");
    await store.retry(
      [
        { chainId: "A", input: undefined, typeName: undefined },
        { chainId: "B", input: "2", typeName: "a" },
      ],
      {},
    );
    const [b] = await store.getJobs(["B"], {});
    expect(b).toMatchObject({ status: "blocked", input: "2", attempt: 0, blockersLeft: 1 });
  });

  it("refuses all of them and writes nothing while a blocker outside the call has failed", async () => {
    await start(job("A"), job("X"), job("B", waitingFor("A", "X")));
    await fail("A");
    await fail("X");
    const refusal = { code: "chain-not-retryable", id: "B", actual: "failed", references: ["X"] };
    expect(await retry("A", "B")).toEqual({ ok: false, refusal });
    expect(await statuses("A", "X", "B")).toEqual(["failed", "failed", "failed"]);
  });

  it("cannot create a cycle: a step may not wait for a cancelled chain that would wait for the step's own chain", async () => {
    await start(job("A"), job("B", waitingFor("A")));
    await cancel("B");
    const next = job("A2", waitingFor("B"));
    const [reply] = await store.settle([{ target: { chainId: "A", typeName: "a" }, kind: "continued", next }], {});
    expect(reply).toMatchObject({ status: "refused", refusal: { code: "blocker-cycle", id: "A" } });
  });

  it("refuses the second of two chains with the same deduplication key", async () => {
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    await start(job("A", { deduplication }));
    await fail("A");
    await start(job("B", { deduplication }));
    await fail("B");
    const refusal = { code: "chain-not-retryable", id: "B", actual: "failed", references: ["A"] };
    expect(await retry("A", "B")).toEqual({ ok: false, refusal });
    expect(await statuses("A", "B")).toEqual(["failed", "failed"]);
  });

  async function settleInTurn(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const claim = { workerId: "w", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 10 };
      const { claimed } = await store.exchange({ outcomes: [], claim }, {});
      expect(claimed.map((held) => held.id)).toEqual([id]);
      const target = { jobId: id, workerId: "w", fence: 1 };
      await store.settle([{ target, kind: "completed", output: "1" }], {});
    }
  }
});

describe("a dependent that is to be blocked again", () => {
  const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;

  it("stays failed while another chain holds its deduplication key", async () => {
    await start(job("A"), job("B", { ...waitingFor("A"), deduplication }));
    await fail("A");
    await start(job("R", { deduplication }));
    const reply = await retry("A");
    expect(reply).toMatchObject({ ok: true, value: [{ job: { jobId: "A" }, reblocked: [] }] });
    expect(await statuses("A", "B", "R")).toEqual(["active", "failed", "active"]);
    // No other chain changes: those that wait for it stay failed with it.
    expect(await retry("B")).toMatchObject({ ok: false, refusal: { code: "chain-not-retryable", references: ["R"] } });
  });

  it("gets its key although it was written as failed and so never held the key before", async () => {
    await start(job("A"));
    await fail("A");
    await start(job("B", { ...waitingFor("A"), deduplication }));
    expect(await retry("A")).toMatchObject({ ok: true, value: [{ reblocked: [ref("B")] }] });
    const [again] = await store.start([{ starts: [job("D", { deduplication })] }], {});
    expect(again).toMatchObject({ ok: true, value: [{ id: "B", deduplicated: true }] });
  });

  it("leaves the jobs that wait for it failed too", async () => {
    await start(job("A"), job("B", { ...waitingFor("A"), deduplication }), job("C", waitingFor("B")));
    await fail("A");
    await start(job("R", { deduplication }));
    await retry("A");
    expect(await statuses("A", "B", "C")).toEqual(["active", "failed", "failed"]);
  });

  it("is reopened when the key is free, and holds it again", async () => {
    await start(job("A"), job("B", { ...waitingFor("A"), deduplication }));
    await fail("A");
    await start(job("R", { deduplication }));
    await cancel("R");
    expect(await retry("A")).toMatchObject({ ok: true, value: [{ reblocked: [ref("B")] }] });
    const [again] = await store.start([{ starts: [job("D", { deduplication })] }], {});
    expect(again).toMatchObject({ ok: true, value: [{ id: "B", deduplicated: true }] });
  });

  it("is reopened if it has the lower id of two with the same key", async () => {
    await start(job("A"), job("B", { ...waitingFor("A"), deduplication }));
    await fail("A");
    // Written as failed, so it never held the key.
    await start(job("C", { ...waitingFor("A"), deduplication }));
    expect(await retry("A")).toMatchObject({ ok: true, value: [{ reblocked: [ref("B")] }] });
    expect(await statuses("B", "C")).toEqual(["active", "failed"]);
  });
});
