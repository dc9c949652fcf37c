import type { CountedAttempts, HistoryRecord } from "chainwright/adapter";
import { equal, only } from "../check.ts";
import { rulesWith } from "./group.ts";
import type { StateFixture } from "./fixture.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Two heartbeats of a test may not come before and after the end of a minute. */
const atBeginOf = (fixture: StateFixture, everyMs: number): void =>
  fixture.advance(everyMs - (fixture.now() % everyMs));

const counted = (typeName: string, details: Partial<CountedAttempts> = {}): CountedAttempts => {
  return { typeName, completed: 0, failed: 0, retried: 0, longestWaitMs: 0, runTimes: [], ...details };
};

async function beat(fixture: StateFixture, workerId: string, reports: readonly CountedAttempts[], aliveForMs = 1_000) {
  const said = { workerId, name: "name", typeNames: ["a"], concurrency: 10, holds: 0 };
  await fixture.store.heartbeat({ ...said, aliveForMs, counted: reports }, fixture.options());
}

interface Asked {
  readonly everyMs?: number;
  readonly forMs?: number;
}

async function history(
  fixture: StateFixture,
  typeName: string,
  { everyMs = minute, forMs = hour }: Asked = {},
): Promise<readonly HistoryRecord[]> {
  const reply = await fixture.store.readHistory?.({ everyMs, forMs, typeName }, fixture.options());
  equal("the store's time", reply?.now, fixture.now());
  return reply?.totals ?? [];
}

export const historyCases = rulesWith("history", "history", {
  "what workers count is added up, in each minute and in ten": async (fixture) => {
    atBeginOf(fixture, 10 * minute);
    const begin = fixture.now();
    await beat(fixture, "w-1", [counted("a", { completed: 2, failed: 1, longestWaitMs: 40, runTimes: [0, 1, 2] })]);
    await beat(fixture, "w-2", [counted("a", { completed: 1, retried: 3, longestWaitMs: 90.5, runTimes: [4] })]);
    fixture.advance(minute);
    await beat(fixture, "w-1", [counted("a", { completed: 5, longestWaitMs: 10, runTimes: [0, 0, 0, 0, 5] })]);
    const first = { at: begin, completed: 3, failed: 1, retried: 3, runTimes: [4, 1, 2] };
    const second = { at: begin + minute, completed: 5, failed: 0, retried: 0, runTimes: [0, 0, 0, 0, 5] };
    const minutes = await history(fixture, "a");
    equal(
      "minutes",
      minutes.map(({ at, completed, failed, retried, runTimes }) => ({ at, completed, failed, retried, runTimes })),
      [first, second],
    );
    equal(
      "waits",
      minutes.map(({ longestWaitMs }) => Math.floor(longestWaitMs)),
      [90, 10],
    );
    const ten = only("ten minutes", await history(fixture, "a", { everyMs: 10 * minute }));
    equal("ten", [ten.at, ten.completed, ten.failed, ten.retried], [begin, 8, 1, 3]);
    equal("run times of ten", ten.runTimes, [4, 1, 2, 0, 5]);
  },

  "types are counted apart, and an empty name is one of its own": async (fixture) => {
    await beat(fixture, "w-1", [
      counted("", { completed: 3 }),
      counted("a", { completed: 1 }),
      counted("é 'x'", { completed: 2 }),
    ]);
    const of = async (typeName: string) => (await history(fixture, typeName)).map(({ completed }) => completed);
    equal("all", await of(""), [3]);
    equal("a", await of("a"), [1]);
    equal("another", await of("é 'x'"), [2]);
    equal("none", await of("b"), []);
  },

  "the last report of a worker that leaves counts, and a report of nothing writes nothing": async (fixture) => {
    await beat(fixture, "w-1", []);
    equal("nothing", await history(fixture, ""), []);
    await beat(fixture, "w-1", [counted("", { completed: 7 })], 0);
    equal("the last", only("total", await history(fixture, "")).completed, 7);
    equal("the worker is gone", await fixture.store.listWorkers(fixture.options()), []);
  },

  "only what was counted in the asked time is read, and upkeep deletes what is older than a day": async (fixture) => {
    atBeginOf(fixture, 10 * minute);
    await beat(fixture, "w-1", [counted("", { completed: 1 })]);
    const of = async (asked: Asked) => (await history(fixture, "", asked)).map(({ completed }) => completed);
    fixture.advance(59 * minute);
    equal("within the hour", await of({}), [1]);
    fixture.advance(2 * minute);
    equal("after an hour", await of({}), []);
    equal("in two", await of({ forMs: 2 * hour }), [1]);
    const maintain = async () =>
      await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 100 }, fixture.options());
    await maintain();
    equal("in two, after upkeep", await of({ forMs: 2 * hour }), [1]);
    fixture.advance(2 * hour);
    await maintain();
    equal("the minute is gone", await of({ forMs: 24 * hour }), []);
    equal("the ten minutes are there", await of({ everyMs: 10 * minute, forMs: 24 * hour }), [1]);
    fixture.advance(23 * hour);
    await maintain();
    equal("gone", await of({ everyMs: 10 * minute, forMs: 100 * hour }), []);
  },
});
