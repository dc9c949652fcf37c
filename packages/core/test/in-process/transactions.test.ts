import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { maintain } from "../../src/in-process/operations/maintain.ts";
import { createRows } from "../../src/in-process/rows.ts";
import type { InProcessRows } from "../../src/in-process/rows.ts";
import { createStore } from "../../src/in-process/store.ts";
import type { Store } from "../../src/in-process/store.ts";
import { createTransactions, read, transact, write } from "../../src/in-process/transactions.ts";
import type { InProcessTransaction } from "../../src/in-process/transactions.ts";
import { isChainwrightError } from "../../src/model/error.ts";
import { createRandomCalls, randomFrom } from "./random-calls.ts";
import type { Random, StoreCall } from "./random-calls.ts";
import { dump, faultsIn } from "./store-checks.ts";

/** Runs a rule with many seeds; a failure names its seed. */
async function forManySeeds(rule: (random: Random) => Promise<void> | void): Promise<void> {
  for (let seed = 0; seed < 300; seed += 1) {
    try {
      await rule(randomFrom(seed));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
}

function fresh(): { store: Store; rows: InProcessRows; play: (call: StoreCall) => unknown } {
  const store = createStore();
  const rows = createRows(store);
  return { store, rows, play: (call) => call(rows) };
}

interface Replied {
  readonly call: StoreCall;
  readonly reply: unknown;
}

describe("in-process transactions", () => {
  it("keep every index correct after random calls", () =>
    forManySeeds((random) => {
      const { store, play } = fresh();
      const next = createRandomCalls(random, store);
      for (let calls = 0; calls < 60; calls += 1) {
        play(next());
        if (calls % 20 === 19)
          maintain(store, { chore: "retention", completedMs: 20, failedMs: 40, limit: 5 }, 1_000 + calls * 5);
        expect(faultsIn(store)).toEqual([]);
      }
    }));

  it("change nothing when they are rolled back, whether they were parked or not", () =>
    forManySeeds(async (random) => {
      const { store, rows, play } = fresh();
      const next = createRandomCalls(random, store);
      for (let calls = 0; calls < 40; calls += 1) play(next());
      const before = dump(store);
      const transactions = createTransactions(rows);
      let within = "";
      const run = transact(transactions, async (tx) => {
        for (let calls = 0; calls < 30; calls += 1) {
          const call = next();
          write(transactions, tx, () => call(rows));
          if (random(4) > 0) continue;
          within = dump(store);
          expect(read(transactions, undefined, () => dump(store))).toBe(before);
          expect(read(transactions, tx, () => dump(store))).toBe(within);
          expect(faultsIn(store)).toEqual([]);
        }
        throw new Error("rolled back");
      });
      await expect(run).rejects.toThrow("rolled back");
      expect(dump(store)).toBe(before);
      expect(faultsIn(store)).toEqual([]);
    }));

  it("have the same results as if the committed ones had run one after the other", () =>
    forManySeeds(async (random) => {
      const { store, rows } = fresh();
      const next = createRandomCalls(random, store);
      const transactions = createTransactions(rows);
      const committed: Replied[] = [];
      const waiting: (() => void)[] = [];
      const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
      const act = (tx: InProcessTransaction | undefined, log: Replied[]) => {
        const call = next();
        log.push({ call, reply: write(transactions, tx, () => call(rows)) });
      };
      const session = async () => {
        const log: Replied[] = [];
        await turn();
        await transact(transactions, async (tx) => {
          for (let calls = random(5); calls >= 0; calls -= 1) {
            act(tx, log);
            await turn();
          }
          if (random(4) === 0) throw rolledBack;
        }).then(() => committed.push(...log), expectNoOther);
      };
      const outsider = async () => {
        for (let calls = 0; calls < 10; calls += 1) {
          await turn();
          act(undefined, committed);
        }
      };
      const all = Promise.all([outsider(), ...Array.from({ length: 6 }, session)]);
      // One at a time, until it waits for its next step or has ended.
      while (waiting.length > 0) {
        waiting.splice(random(waiting.length), 1)[0]?.();
        await setImmediate();
      }
      await all;
      const alone = fresh();
      for (const { call, reply } of committed) expect(alone.play(call)).toEqual(reply);
      expect(dump(store)).toBe(dump(alone.store));
      expect(faultsIn(store)).toEqual([]);
    }));
});

const rolledBack = new Error("rolled back");

function expectNoOther(error: unknown): void {
  if (error !== rolledBack && !isChainwrightError(error, "transaction-conflict")) throw error;
}
