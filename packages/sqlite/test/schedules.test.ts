import Database from "better-sqlite3";
import type { StateAdapter } from "chainwright";
import type { ScheduleRecord, ScheduleSettings, TickItem } from "chainwright/adapter";
import { expect, it } from "vitest";
import { databasePath, jobStart, listening, migratedStore, type Handle } from "./store.ts";

const settings: ScheduleSettings = {
  owner: undefined,
  typeName: "a",
  declared: "{}",
  override: undefined,
  pausedAt: undefined,
  pausedReason: undefined,
  nextAt: 1_000,
  tzVersion: "2025a",
};

async function create(store: StateAdapter<Handle>, ids: readonly string[], details: Partial<ScheduleSettings> = {}) {
  const changes = ids.map((id) => ({ id, from: undefined, to: { ...settings, ...details } }));
  expect((await store.changeSchedules(changes, {})).ok).toBe(true);
}

function itemOf({ id: scheduleId, revision, nextAt = 0 }: ScheduleRecord): TickItem {
  return {
    scheduleId,
    advance: { revision, nextAt, to: nextAt + 1_000, lastAt: nextAt, tzVersion: "2025a" },
    starts: [{ at: nextAt, start: jobStart() }],
    skipped: [],
    missed: 0,
    overlap: "skip",
  };
}

/** A store whose writer's statements are noted while `isOn`. */
async function watched() {
  const path = databasePath();
  const noted = { isOn: false, statements: [] as string[] };
  const driver = listening(path, (sql) => {
    if (noted.isOn && /^\s*(select|insert|update|delete)/.test(sql)) noted.statements.push(sql);
  });
  const store = await migratedStore({ path, driver });
  const during = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
    noted.statements.length = 0;
    noted.isOn = true;
    await run();
    noted.isOn = false;
    return [...noted.statements];
  };
  return { path, store, during };
}

const beat = { workerId: "w", name: "w", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 60_000 };

it("a heartbeat runs two statements, whether or not there are schedules, and a claim none about them", async () => {
  const { store, during } = await watched();
  const types = [{ typeName: "a", leaseMs: 1_000 }];
  const claim = () => store.exchange({ outcomes: [], claim: { workerId: "w", types, limit: 1 } }, {});
  // The first calls of a connection read its settings.
  await store.heartbeat(beat, {});
  await claim();
  const [beating, claiming] = [await during(() => store.heartbeat(beat, {})), await during(claim)];
  expect(beating).toHaveLength(2);
  expect(claiming.filter((sql) => sql.includes("chainwright_schedule"))).toEqual([]);
  await create(store, ["a", "b"]);
  expect(await during(() => store.heartbeat(beat, {}))).toEqual(beating);
  expect(await during(claim)).toEqual(claiming);
});

it("B7: finds schedules and ticks by an index, and none that is paused", async () => {
  const { path, store, during } = await watched();
  await create(store, ["a", "b"]);
  await create(store, ["paused"], { pausedAt: 1 });
  const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 10 } as const;
  const statements = await during(async () => {
    await store.heartbeat(beat, {});
    await store.transaction(async (tx) => {
      const { schedules } = await store.dueSchedules(10, { tx });
      expect(schedules.map(({ id }) => id)).toEqual(["a", "b"]);
      await store.tick(schedules.map(itemOf), { tx });
      await store.listTicks({ scheduleIds: ["a", "b"], before: undefined, limit: 5 }, { tx });
      await store.listTicks({ chainIds: ["x"] }, { tx });
      await store.listSchedules({ ids: ["a"], after: undefined, limit: 5, order: "ascending" }, { tx });
      await store.listSchedules({ owner: "o", after: undefined, limit: 5, order: "ascending" }, { tx });
    });
    await store.maintain(upkeep, { now: Date.now() + 20 * 86_400_000 });
  });
  const database = new Database(path);
  const plans = statements.flatMap((sql) => {
    const parameters = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => "[]");
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
    return plan.map(({ detail }) => detail).filter((detail) => /chainwright_(schedule|tick)/.test(detail));
  });
  database.close();
  expect(plans.length).toBeGreaterThan(8);
  expect(
    plans.filter((detail) => detail.startsWith("SCAN") && !/INDEX chainwright_schedule_next/.test(detail)),
  ).toEqual([]);
});

it("a tick of 100 schedules runs as many statements as 100 starts and three reads and three writes for each", async () => {
  const { store, during } = await watched();
  const ids = Array.from({ length: 100 }, (_, index) => `s-${index}`);
  await create(store, ids);
  const starts = (
    await during(() =>
      store.start(
        ids.map(() => ({ starts: [jobStart()] })),
        {},
      ),
    )
  ).length;
  const { schedules } = await store.dueSchedules(100, {});
  const ticks = (await during(() => store.tick(schedules.map(itemOf), {}))).length;
  expect(ticks - starts).toBeLessThanOrEqual(6 * ids.length);
});

it("a tick that fails in the middle leaves nothing, and the next one starts the chain", async () => {
  const path = databasePath();
  let failing: number | undefined;
  const driver = listening(path, (sql) => {
    if (failing === undefined || !/^\s*(select|insert|update|delete|commit)/.test(sql)) return;
    failing -= 1;
    if (failing < 0) {
      failing = undefined;
      throw new Error("the disk failed");
    }
  });
  const store = await migratedStore({ path, driver });
  await create(store, ["s"]);
  const read = async () => {
    const { schedules } = await store.listSchedules({ after: undefined, limit: 9, order: "ascending" }, {});
    return { schedules, ticks: await store.listTicks({ scheduleIds: ["s"], before: undefined, limit: 9 }, {}) };
  };
  const before = await read();
  const [schedule] = before.schedules;
  if (schedule === undefined) throw new Error("there is no schedule");
  let failures = 0;
  for (; failures < 50; failures += 1) {
    failing = failures;
    const isTicked = await store.tick([itemOf(schedule)], {}).then(
      () => true,
      () => false,
    );
    failing = undefined;
    if (isTicked) break;
    expect(await read()).toEqual(before);
  }
  expect(failures).toBeGreaterThan(5);
  const { schedules, ticks } = await read();
  expect(ticks).toHaveLength(1);
  expect(schedules[0]).toMatchObject({ nextAt: 2_000, lastAt: 1_000, lastChainId: ticks[0]?.chainId });
  expect(await store.tick([itemOf(schedule)], {})).toEqual([{ status: "taken" }]);
});

it("the database itself has at most one tick of a schedule and an instant", async () => {
  const path = databasePath();
  await migratedStore({ path });
  const database = new Database(path);
  const insert = database.prepare("insert into chainwright_tick (schedule_id, at, made_at) values ('s', 1, 1)");
  insert.run();
  expect(() => insert.run()).toThrow(/UNIQUE/);
  database.close();
});
