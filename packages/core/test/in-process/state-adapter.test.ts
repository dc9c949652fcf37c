import { beforeEach, describe, expect, it } from "vitest";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { InProcessTransaction } from "../../src/in-process/state-adapter.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { StateAdapter } from "../../src/ports/state.ts";

let store: StateAdapter<InProcessTransaction>;

beforeEach(() => {
  store = createInProcessStateAdapter();
});

function job(id: string): JobStart {
  const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
  return { id, typeName: "a", input: "1", priority: 0, schedule: undefined, blockers: [], ...rest };
}

function completed(chainId: string): Outcome {
  return { target: { chainId, typeName: "a" }, kind: "completed", output: "1" };
}

async function statusOf(id: string): Promise<string | undefined> {
  const [chain] = await store.getChains([id], {});
  return chain?.status;
}

/** Two transactions at the same time: `first` ends only when `second` has run. */
async function overlapping(
  first: (tx: InProcessTransaction) => Promise<unknown>,
  second: (tx: InProcessTransaction) => Promise<unknown>,
): Promise<PromiseSettledResult<void>[]> {
  const { promise: spoken, resolve: speak } = Promise.withResolvers<void>();
  return Promise.allSettled([
    store.transaction(async (tx) => {
      await first(tx);
      await spoken;
    }),
    store.transaction(async (tx) => {
      await second(tx);
      speak();
    }),
  ]);
}

describe("in-process state adapter", () => {
  it("commits transactions at the same time that change different chains", async () => {
    await store.start([{ starts: [job("x"), job("y")] }], {});
    const ends = await overlapping(
      (tx) => store.settle([completed("x")], { tx }),
      (tx) => store.settle([completed("y")], { tx }),
    );
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect([await statusOf("x"), await statusOf("y")]).toEqual(["completed", "completed"]);
  });

  it("rejects the later commit with `transaction-conflict` when two transactions change the same chain", async () => {
    await store.start([{ starts: [job("x")] }], {});
    const [first, second] = await overlapping(
      async (tx) => {
        await store.start([{ starts: [job("with first")] }], { tx });
        await store.settle([completed("x")], { tx });
      },
      (tx) => store.cancel([{ chainId: "x", reason: undefined }], { tx }),
    );
    expect(second?.status).toBe("fulfilled");
    expect(first).toMatchObject({ status: "rejected", reason: { code: "transaction-conflict" } });
    expect(first?.status === "rejected" && store.isConflict(first.reason)).toBe(true);
    expect(await statusOf("x")).toBe("cancelled");
    expect(await statusOf("with first")).toBeUndefined();
  });

  it("reports the conflict at the next call, and again at the commit if the caller ignored it", async () => {
    const heard: unknown[] = [];
    const run = store.transaction(async (tx) => {
      await store.start([{ starts: [job("x")] }], { tx });
      await store.start([{ starts: [job("x")] }], {});
      await store.getChains(["x"], { tx }).catch((error: unknown) => heard.push(error));
    });
    await expect(run).rejects.toMatchObject({ code: "transaction-conflict" });
    expect(heard).toMatchObject([{ code: "transaction-conflict" }]);
  });

  it("refuses the handle of a transaction that has ended", async () => {
    let ended: InProcessTransaction | undefined;
    await store.transaction(async (tx) => {
      ended = tx;
    });
    await expect(store.getChains(["x"], { tx: ended })).rejects.toMatchObject({ code: "closed" });
  });

  it("commits nothing after it was closed", async () => {
    const run = store.transaction(async (tx) => {
      await store.start([{ starts: [job("x")] }], { tx });
      await store.close();
    });
    await expect(run).rejects.toMatchObject({ code: "closed" });
    await expect(store.getChains(["x"], {})).rejects.toMatchObject({ code: "closed" });
    await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: "closed" });
    await expect(store.migrate()).rejects.toMatchObject({ code: "closed" });
    await expect(store.close()).resolves.toBeUndefined();
  });

  it("is closed by `await using`", async () => {
    const adapter = createInProcessStateAdapter();
    await adapter[Symbol.asyncDispose]();
    await expect(adapter.migrate()).rejects.toMatchObject({ code: "closed" });
  });

  it("uses its clock, or `now` if a call has it", async () => {
    const clock = { now: () => 5_000 };
    store = createInProcessStateAdapter({ clock });
    await store.start([{ starts: [job("x")] }], {});
    await store.start([{ starts: [job("y")] }], { now: 7 });
    const chains = await store.getChains(["x", "y"], {});
    expect(chains.map((chain) => chain?.createdAt)).toEqual([5_000, 7]);
  });
});

it("stores have ids of their own, because they may share a broker", async () => {
  expect(await store.storeId({})).not.toBe(await createInProcessStateAdapter().storeId({}));
});
