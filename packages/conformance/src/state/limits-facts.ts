import { equal, holds, match, only } from "../check.ts";
import { job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { complete, declare, keysOf, limitOf, places, rate, take, takeOne, times, under } from "./limiting.ts";
import { byId, counts, countsAgree, idsOf, jobs } from "./listing.ts";

const acme = { tenant: "acme" };

const beat = { workerId: "w-1", name: "w-1", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 3_600_000 };

async function readyOf(fixture: StateFixture) {
  const counted = await fixture.store.count(fixture.options());
  return only(
    "one",
    counted.filter(({ typeName, status }) => typeName === "a" && status === "ready"),
  );
}

/** What calls say of jobs under limits. */
export const limitFactCases = rules("limits", {
  "a job that waits for a place is ready in every list and count": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const started = await fixture.start(times(3, () => under(acme)));
    match("started", started[0]?.jobs[0], { status: "ready", dueInMs: undefined });
    const check = async (name: string, running: number) => {
      equal(
        `${name}: counts`,
        await counts(fixture),
        running === 0 ? { "a ready": 3 } : { "a ready": 2, "a running": 1 },
      );
      const ready = await jobs(fixture, { statuses: ["ready"] });
      equal(`${name}: ready`, ready.length, 3 - running);
      equal(
        `${name}: not due at a time`,
        ready.map(({ scheduledAt }) => scheduledAt).filter((at) => at !== undefined),
        [],
      );
      equal(`${name}: none is scheduled`, await jobs(fixture, { statuses: ["scheduled"] }), []);
      const due = await fixture.store.listDue({ typeNames: undefined, after: undefined, limit: 10 }, fixture.options());
      equal(`${name}: none is listed as due`, due, []);
      await countsAgree(fixture);
    };
    equal("listed", byId(idsOf(await jobs(fixture))), byId(idsOf(started)));
    await check("before a claim", 0);
    await takeOne(fixture);
    await check("with a claim", 1);
    await take(fixture);
    fixture.advance(60_000);
    await take(fixture);
    await check("later", 1);
  },

  "counts say how many ready jobs wait for a place, and since when": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(3, () => under(acme)));
    await takeOne(fixture);
    fixture.advance(700);
    match("limited", await readyOf(fixture), { count: 2, limited: 2, oldestReadyMs: undefined, oldestLimitedMs: 700 });
    await fixture.startOne(job("a"));
    fixture.advance(100);
    match("beside others", await readyOf(fixture), { count: 3, limited: 2, oldestReadyMs: 100, oldestLimitedMs: 800 });
    await fixture.claim(["a"]);
    match("only these", await readyOf(fixture), { count: 2, limited: 2, oldestReadyMs: undefined });
  },

  "counts of types without limits say nothing of them": async (fixture) => {
    await fixture.startOne(job("a"));
    match("none", await readyOf(fixture), { limited: undefined, oldestLimitedMs: undefined });
  },

  "the jobs ahead of one that waits for a place are those before it in its lane": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const first = await fixture.start(times(3, () => under(acme)));
    await fixture.start([...times(4, () => under({ tenant: "bee" })), ...times(3, () => job("a"))]);
    const urgent = await fixture.startOne(under(acme, "a", { priority: 3 }));
    await take(fixture, ["z"]);
    const ahead = (id = "") => fixture.store.countAhead(id, 100, fixture.options());
    equal("by priority", await Promise.all([urgent, ...first].map(({ id }) => ahead(id))), [0, 1, 2, 3]);
    equal("at most", await fixture.store.countAhead(first[2]?.id ?? "", 2, fixture.options()), 2);
    const plain = await fixture.startOne(job("a"));
    equal("jobs without limits wait behind their own", await ahead(plain.id), 3);
  },

  "waiting time counts from when a job became ready": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const first = await takeOne(fixture);
    equal("at once", first.waitedMs, 0);
    fixture.advance(400);
    await complete(fixture, first);
    equal("waited", (await takeOne(fixture)).waitedMs, 400);
  },

  "a heartbeat says whether jobs under limits wait": async (fixture) => {
    const said = async () => (await fixture.store.heartbeat(beat, fixture.options())).limited === true;
    equal("no limits", await said(), false);
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const first = await takeOne(fixture);
    equal("one waits", await said(), true);
    await complete(fixture, first);
    await complete(fixture, await takeOne(fixture));
    fixture.advance(120_000);
    await take(fixture);
    await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 100 }, fixture.options());
    equal("none waits", await said(), false);
  },

  "jobs under limits are read with their limits while they are blocked, scheduled, ready and running": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(1) });
    const limits = [{ limit: "tenant", key: "acme" }];
    const blocked = under(acme, "a", { blockers: [{ start: job("x") }] });
    const scheduled = under(acme, "a", { schedule: { afterMs: 5_000 } });
    const [ready, waiting] = [under(acme), under(acme)];
    await fixture.start([blocked, scheduled, ready, waiting, job("a")]);
    await take(fixture, ["a"], { limit: 2 });
    const found = await jobs(fixture, { typeNames: ["a"] });
    const of = (id: string) => found.find((each) => each.id === id);
    for (const [start, status] of [
      [blocked, "blocked"],
      [scheduled, "scheduled"],
      [ready, "running"],
      [waiting, "ready"],
    ] as const)
      match(status, of(start.id), { status, limits });
    equal("the other has none", found.filter((each) => each.limits === undefined).length, 1);
    await fixture.store.cancel([{ chainId: scheduled.id, reason: undefined }], fixture.options());
    match("cancelled", await fixture.job(scheduled.id), { limits: undefined });
  },

  "a claim that takes all it asked for, and one without limits, report no gate (C9)": async (fixture) => {
    await declare(fixture, { smtp: rate(1, 500) });
    await fixture.start([...times(2, () => under({ smtp: "m" })), ...times(3, () => job("a"))]);
    equal("all", keysOf(await take(fixture, ["a"], { limit: 4 })).length, 4);
    match("filled", await fixture.look(["z"]), { claimed: [], nextDueInMs: undefined });
  },

  "many keys do not make a record of one wrong": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    const tenants = Array.from({ length: 30 }, (_, n) => `t${n}`);
    await fixture.start(tenants.flatMap((tenant) => times(3, () => under({ tenant }))));
    const held = await take(fixture, ["a"], { limit: 45 });
    const listed = await fixture.store.listLimits({ limit: 100 }, fixture.options());
    equal("all keys", listed.length, 30);
    equal(
      "running",
      listed.reduce((sum, { running }) => sum + running, 0),
      held.length,
    );
    equal(
      "waiting",
      listed.reduce((sum, { waiting }) => sum + waiting, 0),
      90 - held.length,
    );
    holds(
      "two at most",
      listed.every(({ running }) => running <= 2),
      listed,
    );
    match("one of them", await limitOf(fixture, "tenant", "t7"), listed.find(({ key }) => key === "t7") ?? {});
  },
});
