import type { LostWorkerRecord } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { completed, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import type { StateFixture } from "./fixture.ts";

const hour = 3_600_000;

async function beat(fixture: StateFixture, workerId: string, aliveForMs = 1_000): Promise<void> {
  const said = { workerId, name: `name of ${workerId}`, typeNames: ["a"], concurrency: 10, holds: 0, aliveForMs };
  await fixture.store.heartbeat(said, fixture.options());
}

async function lost(fixture: StateFixture): Promise<readonly LostWorkerRecord[]> {
  return (await fixture.store.listLostWorkers?.(fixture.options())) ?? [];
}

const idsOf = async (fixture: StateFixture) => (await lost(fixture)).map(({ id }) => id);

async function maintain(fixture: StateFixture): Promise<void> {
  await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 10_000 }, fixture.options());
}

export const lostWorkerCases = rulesWith("lost worker", "history", {
  "is one whose last heartbeat is valid no more, unless it reported its end": async (fixture) => {
    await beat(fixture, "w-1");
    await beat(fixture, "w-2");
    await beat(fixture, "w-2", 0);
    const startedAt = fixture.now();
    fixture.advance(999);
    equal("alive", await lost(fixture), []);
    fixture.advance(1);
    match("lost", only("one", await lost(fixture)), {
      id: "w-1",
      name: "name of w-1",
      typeNames: ["a"],
      startedAt,
      lastSeenAt: startedAt,
      lostAt: startedAt + 1_000,
      held: undefined,
    });
    await beat(fixture, "w-1");
    equal("it lives", await lost(fixture), []);
  },

  "has the jobs that it held when another worker noticed its silence, after half of the time": async (fixture) => {
    const chains = await fixture.start(Array.from({ length: 5 }, () => job("a")));
    await beat(fixture, "w-1");
    await beat(fixture, "w-2", 100_000);
    const held = await fixture.claim(["a"], { workerId: "w-1", leaseMs: 900, limit: 3 });
    await fixture.claimOne("a", { workerId: "w-2" });
    const startedAt = fixture.now();
    const [done, ...left] = held;
    if (done !== undefined) await fixture.settled(completed(done.fence));
    fixture.advance(499);
    await beat(fixture, "w-2", 100_000);
    fixture.advance(1);
    await beat(fixture, "w-2", 100_000);
    fixture.advance(500);
    await fixture.claim(["a"], { workerId: "w-2", limit: 10 });
    const [worker] = await lost(fixture);
    const expected = left.map(({ id }) => ({ jobId: id, attempt: 1, startedAt, leasedUntil: startedAt + 900 }));
    const inOrder = (jobs: LostWorkerRecord["held"] = []) => [...jobs].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    equal("as it was then, although others run them now", inOrder(worker?.held), inOrder(expected));
    equal("there are others", chains.length > expected.length, true);
  },

  "had nothing if it was idle, and what it held is forgotten when it is heard of again": async (fixture) => {
    await fixture.startOne(job("a"));
    await beat(fixture, "idle");
    await beat(fixture, "w-1");
    const held = await fixture.claimOne("a", { workerId: "w-1", leaseMs: 100_000 });
    fixture.advance(600);
    await beat(fixture, "w-2", 100_000);
    await beat(fixture, "w-1");
    await fixture.settled(completed(held.fence));
    fixture.advance(1_000);
    await beat(fixture, "w-2", 100_000);
    equal(
      "held",
      (await lost(fixture)).map(({ id, held: jobs }) => [id, jobs]),
      [
        ["w-1", []],
        ["idle", []],
      ],
    );
  },

  "is listed for a day, the newest loss first": async (fixture) => {
    await beat(fixture, "w-1");
    fixture.advance(hour);
    await beat(fixture, "w-3");
    await beat(fixture, "w-2");
    fixture.advance(22 * hour);
    await maintain(fixture);
    equal("lost", await idsOf(fixture), ["w-2", "w-3", "w-1"]);
    fixture.advance(hour + 1_000);
    await maintain(fixture);
    equal("after a day", await idsOf(fixture), ["w-2", "w-3"]);
    fixture.advance(hour);
    await maintain(fixture);
    equal("after another hour", await idsOf(fixture), []);
  },
});
