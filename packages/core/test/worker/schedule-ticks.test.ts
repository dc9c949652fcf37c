import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createRig, type RigOptions } from "../rig.ts";

const hour = 3_600_000;
const every = { id: "s", typeName: "work", input: { n: 1 }, everyMs: 60_000 };

/** A worker that notes the instants of the ticks that it runs. */
function createStage(options: Omit<RigOptions, "processors"> = {}) {
  const ran: number[] = [];
  const rig = createRig({
    ...options,
    processors: {
      work: ({ job }: { job: { tick?: { at: Date } } }) => {
        if (job.tick !== undefined) ran.push(job.tick.at.getTime());
        return null;
      },
    } as unknown as NonNullable<RigOptions["processors"]>,
  });
  const ticks = async () => await rig.store.listTicks({ scheduleIds: ["s"], before: undefined, limit: 1_000 }, {});
  return { ...rig, ran, ticks };
}

/** Counts the calls of a store. */
function counting(calls: string[]) {
  return (store: StateAdapter): Partial<StateAdapter> => ({
    dueSchedules: (...args) => (calls.push("dueSchedules"), store.dueSchedules(...args)),
    listSchedules: (...args) => (calls.push("listSchedules"), store.listSchedules(...args)),
    tick: (...args) => (calls.push("tick"), store.tick(...args)),
  });
}

describe("the ticks of a worker", () => {
  it("cost no statement while there is no schedule", async () => {
    const calls: string[] = [];
    const { createWorker, clock } = createStage({ between: counting(calls) });
    const worker = createWorker();
    await worker.start();
    await clock.advance(hour);
    expect(calls).toEqual([]);
    await worker.stop();
  });

  it("cost no statement between two ticks, and none while all schedules are paused", async () => {
    const calls: string[] = [];
    const { createWorker, clock, client, ran } = createStage({ between: counting(calls) });
    await client.createSchedule({ ...every, everyMs: hour });
    const worker = createWorker();
    await worker.start();
    await clock.advance(hour + 1_000);
    expect(ran).toHaveLength(1);
    calls.length = 0;
    await clock.advance(hour - 5_000);
    expect(calls).toEqual([]);
    await client.pauseSchedule({ id: "s" });
    await clock.advance(30_000);
    calls.length = 0;
    await clock.advance(5 * hour);
    expect(calls).toEqual([]);
    await worker.stop();
  });

  it("B3: start within a quarter of a second after their instant, without hints as well", async () => {
    const { createWorker, clock, client, events } = createStage();
    await client.createSchedule(every);
    const worker = createWorker();
    await worker.start();
    await clock.advance(10 * 60_000 + 1_000);
    const late = events.all.flatMap((event) => (event.type === "schedule-ticked" ? [event.lateMs] : []));
    expect(late).toHaveLength(10);
    expect(Math.max(...late)).toBeLessThanOrEqual(250);
    await worker.stop();
  });

  it("are not made by a worker with schedules: false", async () => {
    const { createWorker, clock, client, ran } = createStage({ worker: { schedules: false } });
    await client.createSchedule(every);
    const worker = createWorker();
    await worker.start();
    await clock.advance(hour);
    expect(ran).toEqual([]);
    await worker.stop();
  });

  it.each([
    ["a crash between the look and the tick", (store: StateAdapter) => async () => (await store.count({}), lost())],
    [
      "a tick whose reply was lost",
      (store: StateAdapter) =>
        async (...args: Parameters<StateAdapter["tick"]>) => (await store.tick(...args), lost()),
    ],
  ])("B1, B2: after %s, each instant has one chain, and the schedule none too few", async (_what, broken) => {
    let left = 3;
    const between = (store: StateAdapter): Partial<StateAdapter> => ({
      tick: (...args) => ((left -= 1) >= 0 ? broken(store)(...args) : store.tick(...args)),
    });
    const { createWorker, clock, client, ran, ticks } = createStage({ between });
    const { nextAt } = await client.createSchedule(every);
    const first = nextAt?.getTime() ?? 0;
    const worker = createWorker();
    await worker.start();
    await clock.advance(10 * 60_000 + 30_000);
    const expected = Array.from({ length: 10 }, (_, index) => first + index * 60_000);
    expect(ran).toEqual(expected);
    expect((await ticks()).map(({ at }) => at)).toEqual(expected.toReversed());
    await worker.stop();
  });

  it.each([-hour, hour])(
    "count by the store's time, although the worker's clock is wrong by %i ms",
    async (wrongMs) => {
      const wrong = (clock: Clock): Clock => ({
        ...clock,
        virtual: false,
        now: () => clock.now() + wrongMs,
      });
      const { createWorker, clock, client, events, ran } = createStage({ clock: wrong });
      await client.createSchedule(every);
      const worker = createWorker();
      await worker.start();
      await clock.advance(5 * 60_000 + 1_000);
      expect(ran).toHaveLength(5);
      const late = events.all.flatMap((event) => (event.type === "schedule-ticked" ? [event.lateMs] : []));
      expect(Math.max(...late)).toBeLessThanOrEqual(250);
      await worker.stop();
    },
  );

  it("one schedule that the store cannot write does not hold up the others", async () => {
    const between = (store: StateAdapter): Partial<StateAdapter> => ({
      tick: (items, options) =>
        items.some(({ scheduleId }) => scheduleId === "bad")
          ? Promise.reject(new Error("no"))
          : store.tick(items, options),
    });
    const { createWorker, clock, client, ran, events } = createStage({ between });
    await client.createSchedule({ ...every, id: "bad" });
    await client.createSchedule(every);
    const worker = createWorker();
    await worker.start();
    await clock.advance(3 * 60_000 + 5_000);
    expect(ran).toHaveLength(3);
    expect(events.all.find(({ type }) => type === "upkeep-failed")).toMatchObject({
      chore: "schedules",
      error: { message: 'the ticks of schedule "bad" cannot be written: no' },
    });
    await worker.stop();
  });

  it("as many schedules that the store cannot write as one look returns do not hold up the others", async () => {
    const between = (store: StateAdapter): Partial<StateAdapter> => ({
      tick: (items, options) =>
        items.some(({ scheduleId }) => scheduleId.startsWith("bad"))
          ? Promise.reject(new Error("no"))
          : store.tick(items, options),
    });
    const { createWorker, clock, client, ran } = createStage({ between });
    for (let n = 0; n < 600; n += 1) await client.createSchedule({ ...every, id: `bad ${n}` });
    await client.createSchedule(every);
    const worker = createWorker();
    await worker.start();
    await clock.advance(60_000 + 5_000);
    expect(ran).toHaveLength(1);
    await worker.stop();
  });

  it("pause a schedule whose input no longer fits, and say why", async () => {
    const { createWorker, clock, client, events, store, ran } = createStage();
    await client.createSchedule(every);
    const { schedules } = await store.listSchedules({ after: undefined, limit: 1, order: "ascending" }, {});
    const [record] = schedules;
    if (record === undefined) throw new Error("no schedule");
    const declared = JSON.stringify({ ...(JSON.parse(record.declared) as object), input: "no JSON" });
    await store.changeSchedules([{ id: "s", from: record, to: { ...record, declared } }], {});
    const worker = createWorker();
    await worker.start();
    await clock.advance(5 * 60_000);
    expect(ran).toEqual([]);
    expect(events.all.filter(({ type }) => type === "schedule-broken")).toHaveLength(1);
    const paused = await store.listSchedules({ after: undefined, limit: 1, order: "ascending", isPaused: true }, {});
    expect(paused.schedules[0]?.pausedReason).toContain("JSON");
    await worker.stop();
  });
});

function lost(): never {
  throw new Error("the connection was lost");
}
