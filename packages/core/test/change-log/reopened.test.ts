import { testCases } from "@chainwright/backends/vitest";
import { stateConformance } from "@chainwright/conformance";
import { describe, expect } from "vitest";
import { openLoggedCalls } from "../../src/change-log/open.ts";
import { adapterOf } from "../../src/in-process/state-adapter.ts";
import { parkApplied } from "../../src/in-process/transactions.ts";
import { createMemoryLog } from "./memory-log.ts";
import { pictureOf } from "./picture.ts";

const without = {
  userTable: "it keeps no tables",
  unmigrated: "there is nothing to migrate",
  rowLocks: "it runs one transaction at a time",
  awaited: "no other process shares it, so it notes nothing",
  faults: "faults that are planted in memory are in no log",
};

async function reopen(kept: string, storeId: string) {
  const calls = await openLoggedCalls({ log: createMemoryLog(kept, storeId) });
  return pictureOf(calls.opened().store);
}

/** When a case has ended, the store is built again from its log, and from all its content: both must be what it was. */
async function openReopened() {
  const log = createMemoryLog();
  const calls = await openLoggedCalls({ log });
  const transactions = calls.opened();
  return {
    adapter: adapterOf(calls),
    close: async () => {
      parkApplied(transactions);
      const before = pictureOf(transactions.store);
      const { storeId } = log;
      expect(await reopen(log.text(), storeId)).toEqual(before);
      expect(await reopen(JSON.stringify([log.content()]), storeId)).toEqual(before);
    },
  };
}

describe("state port, in-process, opened again after each case", () => {
  testCases(stateConformance({ createAdapter: openReopened, without }));
});
