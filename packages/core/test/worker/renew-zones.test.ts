import { expect, it, vi } from "vitest";
import type { ScheduleRecord } from "../../src/model/recurring.ts";
import { tzVersion } from "../../src/model/tz-version.ts";
import { createRig, type RigOptions } from "../rig.ts";

const hour = 3_600_000;
const [older, own, newer] = ["1990a", tzVersion() ?? "", "9999z"];

/** A schedule each day at nine in Vienna, whose next tick was computed with other time zones, an hour too late. */
async function createStage(written: { readonly tzVersion: string } & Partial<ScheduleRecord>, options?: RigOptions) {
  const rig = createRig(options);
  const created = await rig.client.createSchedule({
    id: "s",
    typeName: "idle",
    input: null,
    cron: "0 9 * * *",
    timeZone: "Europe/Vienna",
  });
  const right = created.nextAt?.getTime() ?? 0;
  const read = async (): Promise<ScheduleRecord> => {
    const query = { ids: ["s"], after: undefined, limit: 1, order: "ascending" } as const;
    const [record] = (await rig.store.listSchedules(query, {})).schedules;
    if (record === undefined) throw new Error("the schedule must be there");
    return record;
  };
  const record = await read();
  const to = { ...record, nextAt: right + hour, ...written };
  expect(await rig.store.changeSchedules([{ id: "s", from: record, to }], {})).toMatchObject({ ok: true });
  return { ...rig, right, read };
}

it("a worker computes the next tick again that older time zones made", async () => {
  const { createWorker, clock, right, read } = await createStage({ tzVersion: older });
  const before = await read();
  const worker = createWorker();
  await worker.start();
  await clock.advance(15_000);
  expect(await read()).toMatchObject({ nextAt: right, tzVersion: own, revision: before.revision + 1 });
  await clock.advance(right - clock.now() + 1_000);
  expect(await read()).toMatchObject({ lastAt: right });
  await worker.stop();
});

it.each([
  ["newer time zones made", { tzVersion: newer }],
  ["the same time zones made", { tzVersion: own }],
  ["older time zones made, while its schedule is paused", { tzVersion: older, pausedAt: 1 }],
])("a worker leaves the next tick that %s", async (_what, written) => {
  const { createWorker, clock, read } = await createStage(written);
  const before = await read();
  const worker = createWorker();
  await worker.start();
  await clock.advance(15_000);
  expect(await read()).toEqual(before);
  await worker.stop();
});

it("a worker leaves a tick that is due: it happens when the older time zones said", async () => {
  const { createWorker, clock, read, right } = await createStage({ tzVersion: older });
  await clock.advance(right + hour - clock.now());
  const worker = createWorker();
  await worker.start();
  await clock.advance(15_000);
  expect(await read()).toMatchObject({ lastAt: right + hour, tzVersion: own });
  await worker.stop();
});

it("an edit that comes between the look and the renewal wins", async () => {
  const edit = vi.fn<() => Promise<unknown>>();
  const { createWorker, clock, client, read } = await createStage(
    { tzVersion: older },
    {
      between: (store) => ({
        listSchedules: async (query, options) => {
          const list = await store.listSchedules(query, options);
          if (query.tzVersionNot !== undefined) await edit();
          return list;
        },
      }),
    },
  );
  edit.mockImplementationOnce(() => client.updateSchedule({ id: "s", cron: "0 12 * * *" }));
  const worker = createWorker();
  await worker.start();
  await clock.advance(15_000);
  expect(edit).toHaveBeenCalled();
  expect(new Date((await read()).nextAt ?? 0).toLocaleTimeString("en-GB", { timeZone: "Europe/Vienna" })).toBe(
    "12:00:00",
  );
  await worker.stop();
});

it("a renewal that fails is tried again, and a schedule whose zone this runtime does not know holds up no other", async () => {
  let failures = 1;
  const { createWorker, clock, store, right, read } = await createStage(
    { tzVersion: older },
    {
      between: (real) => ({
        listSchedules: async (query, options) => {
          if (query.tzVersionNot !== undefined && failures > 0) {
            failures -= 1;
            throw new Error("away");
          }
          return await real.listSchedules(query, options);
        },
      }),
    },
  );
  const record = await read();
  const declared = JSON.stringify({
    ...JSON.parse(record.declared),
    rule: { cron: "0 9 * * *", timeZone: "Moon/Base" },
  });
  const to = { ...record, declared };
  expect(await store.changeSchedules([{ id: "a", from: undefined, to }], {})).toMatchObject({ ok: true });
  const worker = createWorker();
  await worker.start();
  await clock.advance(20_000);
  expect(failures).toBe(0);
  expect(await read()).toMatchObject({ nextAt: right, tzVersion: own });
  await worker.stop();
});

it("a schedule that is resumed computes the next tick again that older time zones made before the pause", async () => {
  const { client, clock, read, right } = await createStage({ tzVersion: older });
  await client.pauseSchedule({ id: "s" });
  expect(await read()).toMatchObject({ nextAt: right + hour, tzVersion: older });
  // The tick passes by the right zones, and not yet by the older ones.
  await clock.advance(right + 60_000 - clock.now());
  await client.resumeSchedule({ id: "s" });
  expect(await read()).toMatchObject({ nextAt: right, tzVersion: own });
});

it("a schedule that is resumed keeps a tick that was due before its last change", async () => {
  const { client, clock, read, right } = await createStage({ tzVersion: older });
  await clock.advance(right + hour - clock.now());
  await client.pauseSchedule({ id: "s" });
  await client.resumeSchedule({ id: "s" });
  expect(await read()).toMatchObject({ nextAt: right + hour, tzVersion: older });
});

it("a schedule that is resumed keeps a tick that newer time zones made", async () => {
  const { client, read, right } = await createStage({ tzVersion: newer });
  await client.pauseSchedule({ id: "s" });
  await client.resumeSchedule({ id: "s" });
  expect(await read()).toMatchObject({ nextAt: right + hour, tzVersion: newer });
});
