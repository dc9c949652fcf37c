import { expect, it } from "vitest";
import { createDueHints } from "../../src/hints/due-hints.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

it("hints about due jobs: the soonest thousand are kept, in whatever order they come", async () => {
  const clock = createVirtualClock();
  const due: number[] = [];
  const hints = createDueHints(clock, () => void due.push(clock.now()));
  const begun = clock.now();
  for (let ms = 3_000; ms > 0; ms -= 1) hints.add({ kind: "ready", typeName: "a", count: 1, draw: 1 }, ms);
  for (let ms = 3_001; ms < 4_000; ms += 1) hints.add({ kind: "ready", typeName: "a", count: 1, draw: 1 }, ms);
  await clock.advance(10_000);
  expect(due.map((at) => at - begun)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  expect(clock.timers).toBe(0);
});

it("hints about due jobs: jobs that others took do not take away hints about other jobs", async () => {
  const clock = createVirtualClock();
  const due: number[] = [];
  const hints = createDueHints(clock, ({ count }) => void due.push(count));
  hints.add({ kind: "ready", typeName: "a", count: 200, draw: 1 }, 1_000);
  hints.add({ kind: "ready", typeName: "a", count: 5, draw: 2 }, 1_030);
  await clock.advance(995);
  hints.taken(201);
  await clock.advance(1_000);
  expect(due).toEqual([4]);
});
