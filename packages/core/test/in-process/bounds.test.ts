import { beforeEach, describe, expect, it } from "vitest";
import { exchange } from "../../src/in-process/operations/exchange.ts";
import { renew } from "../../src/in-process/operations/renew.ts";
import { createRows } from "../../src/in-process/rows.ts";
import type { InProcessRows } from "../../src/in-process/rows.ts";
import { createStore } from "../../src/in-process/store.ts";
import type { Store } from "../../src/in-process/store.ts";
import { createTransactions, read, transact, write } from "../../src/in-process/transactions.ts";
import type { JobStart } from "../../src/model/job-start.ts";
import type { Schedule } from "../../src/model/schedule.ts";
import { entriesOf, faultsIn } from "./store-checks.ts";
import { start } from "../../src/rules/begin.ts";
import { cancel } from "../../src/rules/cancel.ts";

/** More stale entries than the store keeps: see `slack`. */
const many = 5_000;
const few = 200;

let store: Store;
let rows: InProcessRows;

beforeEach(() => {
  store = createStore();
  rows = createRows(store);
});

function job(id: string, typeName = "a", schedule?: Schedule): JobStart {
  return {
    id,
    typeName,
    input: "1",
    priority: 0,
    schedule,
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    context: undefined,
  };
}

function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `id-${String(at).padStart(6, "0")}`);
}

function startAll(ids: readonly string[], schedule?: Schedule): void {
  start(rows, [{ starts: ids.map((id) => job(id, "a", schedule)) }], 0);
}

function claim(limit: number, typeNames: readonly string[] = ["a"]) {
  return { workerId: "w", types: typeNames.map((typeName) => ({ typeName, leaseMs: 1_000 })), limit };
}

function typeA() {
  const type = store.lanes.types.get("a");
  if (type === undefined) throw new Error("no job of type a was written");
  return type;
}

describe("the memory of the in-process store", () => {
  it("does not keep lease entries of ended jobs", () => {
    startAll(idsOf(many));
    for (let at = 0; at < many; at += 1) {
      const { claimed } = exchange(rows, { outcomes: [], claim: claim(1) }, at);
      const outcomes = claimed.map(({ id, fence }) => ({
        target: { jobId: id, workerId: "w", fence },
        kind: "completed" as const,
        output: "1",
      }));
      exchange(rows, { outcomes, claim: undefined }, at);
    }
    expect(typeA().counts.completed).toBe(many);
    expect(typeA().leases.items.length).toBeLessThan(few);
    expect(entriesOfA()).toBe(0);
  });

  it("does not keep lease entries of earlier renewals", () => {
    startAll(["one"]);
    exchange(rows, { outcomes: [], claim: claim(1) }, 0);
    const held = [{ jobId: "one", fence: 1, leaseMs: 1_000 }];
    for (let at = 1; at < many; at += 1) expect(renew(rows, { workerId: "w", held }, at)).toEqual([]);
    expect(typeA().leases.items.length).toBeLessThan(few);
  });

  it("does not keep jobs that were cancelled while they waited", () => {
    const ids = idsOf(many);
    startAll(ids);
    startAll(
      ids.map((id) => `later-${id}`),
      { at: 1e12 },
    );
    const all = [...ids, ...ids.map((id) => `later-${id}`)];
    cancel(
      rows,
      all.map((chainId) => ({ chainId, reason: undefined })),
      1,
    );
    expect(entriesOfA()).toBeLessThan(few);
    expect(typeA().scheduled.items.length).toBeLessThan(few);
  });

  it("does not grow while a transaction is parked repeatedly", async () => {
    startAll(["one"], { at: 1e12 });
    const transactions = createTransactions(rows);
    await transact(transactions, async (tx) => {
      write(transactions, tx, () => cancel(rows, [{ chainId: "one", reason: undefined }], 1));
      for (let times = 0; times < many; times += 1) {
        read(transactions, undefined, () => {});
        read(transactions, tx, () => {});
      }
    });
    expect(typeA().counts.cancelled).toBe(1);
    expect(typeA().scheduled.items.length).toBeLessThan(few);
    expect(store.ended.items.length).toBeLessThan(few);
    expect(faultsIn(store)).toEqual([]);
  });

  it("removes claimed jobs from a backlog without reading the others", () => {
    startAll(idsOf(many));
    const [lane] = typeA().busy;
    if (lane === undefined) throw new Error("no lane");
    let looks = 0;
    lane.rows = new Proxy(lane.rows, {
      get: (entries, key, receiver) => {
        if (typeof key === "string" && key !== "length") looks += 1;
        const value: unknown = Reflect.get(entries, key, receiver);
        return value;
      },
    });
    const { claimed } = exchange(rows, { outcomes: [], claim: claim(10) }, 0);
    expect(claimed.map(({ id }) => id)).toEqual(idsOf(10));
    expect(looks).toBe(10);
  });

  it("drops priorities without jobs, so that claims do not read them", () => {
    const starts = Array.from({ length: 1_000 }, (_, priority) => ({ ...job(`id-${priority}`), priority }));
    start(rows, [{ starts }], 0);
    expect(typeA().busy.length).toBe(1_000);
    exchange(rows, { outcomes: [], claim: claim(1_000) }, 0);
    expect(typeA().busy).toEqual([]);
  });

  it("does not read priorities of types that a claim does not name", () => {
    const foreign = Array.from({ length: 1_000 }, (_, priority) => ({
      ...job(`foreign-${priority}`),
      typeName: "foreign",
      priority,
    }));
    start(rows, [{ starts: [...foreign, job("id-0"), { ...job("id-1"), priority: 7 }] }], 0);
    let looks = 0;
    for (const lane of store.lanes.types.get("foreign")?.busy ?? []) {
      lane.rows = new Proxy(lane.rows, {
        get: (entries, key): unknown => {
          looks += 1;
          return Reflect.get(entries, key);
        },
      });
    }
    const { claimed } = exchange(rows, { outcomes: [], claim: claim(10) }, 0);
    expect(claimed.map(({ id }) => id)).toEqual(["id-1", "id-0"]);
    expect(looks).toBe(0);
  });

  function entriesOfA(): number {
    return [...typeA().lanes.values()].reduce((sum, lane) => sum + entriesOf(lane).length, 0);
  }
});
