import { expect, it } from "vitest";
import { openLoggedCalls } from "../../src/change-log/open.ts";
import { createRows } from "../../src/in-process/rows.ts";
import { createStore } from "../../src/in-process/store.ts";
import { createRandomCalls, randomFrom } from "../in-process/random-calls.ts";
import type { StoreCall } from "../in-process/random-calls.ts";
import { dump, faultsIn } from "../in-process/store-checks.ts";
import { createMemoryLog, type MemoryLog } from "./memory-log.ts";
import { pictureOf } from "./picture.ts";

/** A store with a log that is opened again at random moments, from the log or from its content. */
async function openRandomly() {
  let log = createMemoryLog();
  const { storeId } = log;
  let calls = await openLoggedCalls({ log });
  const open = async (next: MemoryLog) => {
    log = next;
    calls = await openLoggedCalls({ log });
  };
  return {
    store: () => calls.opened().store,
    run: async (call: StoreCall) => calls.rules((rows, _request: undefined) => call(rows))(undefined, { now: 0 }),
    reopen: () => open(createMemoryLog(log.text(), storeId)),
    reopenFromContent: () => open(createMemoryLog(JSON.stringify([log.content()]), storeId)),
  };
}

it.each(Array.from({ length: 12 }, (_, seed) => seed))(
  "a store that is opened again from its log has what a store in memory has, and no fault, with seed %i",
  async (seed) => {
    const random = randomFrom(seed);
    const logged = await openRandomly();
    for (let round = 0; round < 12; round += 1) {
      const someCall = createRandomCalls(random, logged.store());
      for (let count = 0; count < 25; count += 1) {
        const call = someCall();
        // What throws has changed nothing or is kept as it is: both stores agree.
        await logged.run(call).catch(() => {});
      }
      const before = pictureOf(logged.store());
      await (random(2) === 0 ? logged.reopen() : logged.reopenFromContent());
      expect(pictureOf(logged.store())).toEqual(before);
      expect(faultsIn(logged.store())).toEqual([]);
    }
  },
);

it("has the same after calls as a store without a log", async () => {
  const plain = createRows(createStore());
  const logged = await openRandomly();
  const someCall = createRandomCalls(randomFrom(7), plain.store);
  for (let count = 0; count < 400; count += 1) {
    const call = someCall();
    expect(await logged.run(call)).toEqual(call(plain));
  }
  expect(dump(logged.store())).toBe(dump(plain.store));
});
