import { expect, it } from "vitest";
import { setReplyLimit } from "../../src/notify-channel/reply-limit.ts";
import { createVirtualClock } from "../../src/testing/index.ts";

/** Sets up a clock whose timers are late by `busyMs`. */
function setUp() {
  const clock = createVirtualClock();
  const state = { busyMs: 0, calls: 0 };
  const busy = { ...clock, now: () => clock.now() + state.busyMs };
  const limit = setReplyLimit(busy, 2_000, () => void (state.calls += 1));
  return { clock, state, limit };
}

it("calls back when the limit is over", async () => {
  const { clock, state } = setUp();
  await clock.advance(1_999);
  expect(state.calls).toBe(0);
  await clock.advance(1);
  expect(state.calls).toBe(1);
});

it("starts the limit again when the timer was late because this process was busy", async () => {
  const { clock, state } = setUp();
  state.busyMs = 300;
  await clock.advance(2_000);
  expect(state.calls).toBe(0);
  await clock.advance(1_999);
  expect(state.calls).toBe(0);
  await clock.advance(1);
  expect(state.calls).toBe(1);
});

it("does not call back after it was cancelled, even if a message that was read late cancels it", async () => {
  const clock = createVirtualClock();
  let calls = 0;
  const reading = { ...clock, yield: async () => limit.cancel() };
  const limit = setReplyLimit(reading, 2_000, () => void (calls += 1));
  await clock.advance(10_000);
  expect(calls).toBe(0);
  expect(clock.timers).toBe(0);
});
