import { afterEach, describe, expect, it } from "vitest";
import { createCallbackStage, sharedStores, type Ends } from "./callback-stage.ts";

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe.each(sharedStores)("callbacks on $name", ({ placeOf, isMissing }) => {
  if (isMissing) return;
  it.each([
    { name: "completed", fails: false },
    { name: "failed", fails: true },
  ])("a callback survives the process in which its chain has $name", { timeout: 60_000 }, async ({ name, fails }) => {
    const { receiver, runOther, deliver } = await createCallbackStage(ends, placeOf);
    const child = runOther({ fails, delivers: false });
    await child.begun;
    child.process.kill("SIGKILL");
    await child.ended;
    expect(receiver.received).toEqual([]);
    await deliver();
    await receiver.count(1);
    expect(receiver.received.map(({ event }) => event.type)).toEqual([`chain.${name}`]);
  });

  it(
    "a callback whose process is killed while it delivers is delivered by another, with the same id",
    {
      timeout: 60_000,
    },
    async () => {
      const { receiver, runOther, deliver } = await createCallbackStage(ends, placeOf);
      const killed = Promise.withResolvers<void>();
      receiver.replies.push(() => killed.resolve());
      const child = runOther({ fails: false, delivers: true });
      await killed.promise;
      child.process.kill("SIGKILL");
      await child.ended;
      await deliver();
      await receiver.count(2);
      const [first, second] = receiver.received;
      expect(second).toEqual(first);
    },
  );
});
