import { testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { createInProcessNotifyAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { describe } from "vitest";
import { createFileStateAdapter, startAndReads } from "../src/adapter.ts";
import { createMethods } from "../src/methods.ts";
import { createMemory } from "../src/place.ts";
import { createTransactions, type Transaction } from "../src/transactions.ts";

const noTable = "it has no tables";
const oneWriter = "it locks no rows";
const without = {
  userTable: noTable,
  unmigrated: "there is nothing to migrate",
  rowLocks: oneWriter,
  faults: "nothing writes it but its adapter",
  awaited: "it announces every end",
  history: "it keeps none",
};

/** Each case has a memory of its own, which its adapters share as processes share a folder. */
async function createState() {
  const memory = createMemory();
  const connect = async () => createFileStateAdapter(memory);
  return { adapter: await connect(), connect, close: async () => {} };
}

describe("state port, on the versions of a text", () => {
  testCases(stateConformance({ createAdapter: createState, without }));
});

describe("clients and workers, on the versions of a text", () => {
  const createNotify = async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} });
  testCases(behaviourConformance({ createState, createNotify, without: { userTable: noTable, rowLocks: oneWriter } }));
});

describe("an adapter of which only start and reads exist", () => {
  const missing = (name: string | symbol) => async (): Promise<never> => {
    throw new Error(`${String(name)} is not implemented`);
  };
  const createAdapter = async () => {
    const transactions = createTransactions(createMemory(), Date.now);
    const begun = startAndReads(transactions, createMethods(transactions));
    const adapter = new Proxy(begun as unknown as StateAdapter<Transaction>, {
      get: (target, name): unknown => (name in target ? Reflect.get(target, name) : missing(name)),
    });
    return { adapter, close: async () => {} };
  };
  testCases(stateConformance({ createAdapter, areas: ["start and reads"], without }));
});
