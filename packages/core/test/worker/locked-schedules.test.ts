import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

it("schedules that a transaction has locked, more than one look returns, hold up no other, and are looked at once a second", async () => {
  const locked = 1_200;
  let isLocked = true;
  let looks = 0;
  const rig = createRig({
    between: (store) => ({
      dueSchedules: (limit, options) => {
        looks += 1;
        return store.dueSchedules(limit, options);
      },
      tick: async (items, options) => {
        const isHeld = (id: string) => isLocked && id < "z";
        const free = items.filter(({ scheduleId }) => !isHeld(scheduleId));
        const written = [...(await store.tick(free, options))];
        return items.map(({ scheduleId }) =>
          isHeld(scheduleId) ? { status: "taken" as const } : (written.shift() ?? { status: "taken" as const }),
        );
      },
    }),
    processors: { a: () => null },
  });
  const dueAt = rig.clock.now() + 1_000;
  const every = { typeName: "a", input: null, everyMs: 86_400_000, from: new Date(dueAt) };
  const ids = [...Array.from({ length: locked }, (_, n) => `held ${n}`), "z1", "z2"];
  await rig.client.applySchedules({ owner: "o", schedules: ids.map((id) => ({ id, ...every })) });
  const worker = rig.createWorker();
  await worker.start();
  const ticked = () => rig.events.all.filter(({ type }) => type === "schedule-ticked").length;
  await rig.clock.advance(2_000);
  expect(ticked()).toBe(2);
  looks = 0;
  await rig.clock.advance(10_000);
  // Each time three looks until one finds nothing else.
  expect(looks).toBeLessThanOrEqual(60);
  isLocked = false;
  await rig.clock.advance(2_000);
  expect(ticked()).toBe(ids.length);
  await worker.stop();
});
