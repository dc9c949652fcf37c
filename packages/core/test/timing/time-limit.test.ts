import { expect, it } from "vitest";
import { createTimeLimit } from "../../src/timing/time-limit.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { silence } from "../rig.ts";

const options = { limitMs: 100, who: "the store" };

it("returns the result of the call, and leaves no timer", async () => {
  const clock = createVirtualClock();
  const timeLimit = createTimeLimit(clock, options);
  expect(await timeLimit(async () => 7)).toBe(7);
  await expect(timeLimit(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(clock.timers).toBe(0);
});

it("gives up a call that takes too long, and passes its late result on", async () => {
  const clock = createVirtualClock();
  const timeLimit = createTimeLimit(clock, options);
  const late: (number | undefined)[] = [];
  const reply = Promise.withResolvers<number>();
  const call = timeLimit(
    () => reply.promise,
    (value) => late.push(value),
  ).catch((error: unknown) => error);
  await clock.advance(100);
  expect(await call).toMatchObject({ code: "store-unavailable" });
  reply.resolve(7);
  await clock.advance(0);
  expect(late).toEqual([7]);
});

it("makes no more calls while three hang, and continues when one ends", async () => {
  const clock = createVirtualClock();
  const timeLimit = createTimeLimit(clock, options);
  const reply = Promise.withResolvers<number>();
  const given = Promise.allSettled([
    timeLimit(() => silence<number>()),
    timeLimit(() => silence<number>()),
    timeLimit(() => reply.promise),
  ]);
  await clock.advance(100);
  await given;
  let calls = 0;
  const call = (): Promise<number> => timeLimit(async () => (calls += 1));
  await expect(call()).rejects.toMatchObject({ code: "store-unavailable" });
  expect(calls).toBe(0);
  reply.reject(new Error("after the limit"));
  await clock.advance(0);
  expect(await call()).toBe(1);
});
