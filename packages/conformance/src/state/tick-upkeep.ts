import { equal, match } from "../check.ts";
import { job } from "./build.ts";
import { rules } from "./group.ts";
import {
  chainIdOf,
  changed,
  create,
  gaps,
  scheduleOf,
  statusesOf,
  tick,
  ticked,
  tickOnce,
  ticksOf,
} from "./recurring-calls.ts";

const day = 86_400_000;
const upkeep = { chore: "windows", completedMs: undefined, failedMs: undefined, limit: 100 } as const;

export const tickUpkeepCases = rules("tick upkeep", {
  "B1: upkeep forgets ticks after 14 days, and what it forgot is never filled": async (fixture) => {
    await create(fixture, "s", 0);
    const at = fixture.now();
    await tickOnce(fixture, "s", { to: 20 * day });
    ticked(await tick(fixture, [gaps("s", at - 100)]));
    fixture.advance(14 * day - 1);
    ticked(await tick(fixture, [gaps("s", at + 100)]));
    await fixture.store.maintain(upkeep, fixture.options());
    equal("still all", (await ticksOf(fixture, "s")).length, 3);
    fixture.advance(1);
    await fixture.store.maintain(upkeep, fixture.options());
    equal(
      "the young one",
      (await ticksOf(fixture, "s")).map((each) => each.at),
      [at + 100],
    );
    match("noted", await scheduleOf(fixture, "s"), { revision: 1, forgotten: { from: at - 100, until: at } });
    const filled = ticked(await tick(fixture, [gaps("s", at - 101, at - 100, at - 50, at, at + 1)]));
    equal("not again", statusesOf(filled), ["started", "known", "known", "known", "started"]);
  },

  "B1: a change with a record that was read before upkeep forgot ticks changes the settings only": async (fixture) => {
    await create(fixture, "s", 0);
    const at = fixture.now();
    await tickOnce(fixture, "s", { to: 20 * day });
    const before = await scheduleOf(fixture, "s");
    fixture.advance(15 * day);
    await fixture.store.maintain(upkeep, fixture.options());
    const { revision, nextAt } = before;
    equal("changed", await changed(fixture, [{ id: "s", from: { revision, nextAt }, to: before }]), [2]);
    match("still noted", await scheduleOf(fixture, "s"), { forgotten: { from: at, until: at } });
    equal("not again", statusesOf(ticked(await tick(fixture, [gaps("s", at)]))), ["known"]);
  },

  "upkeep forgets a bounded number of ticks at a time, and reports whether more are old": async (fixture) => {
    await create(fixture, "s", 0);
    const now = fixture.now();
    ticked(await tick(fixture, [gaps("s", now - 4, now - 3, now - 2, now - 1, now)]));
    fixture.advance(15 * day);
    const pass = () => fixture.store.maintain({ ...upkeep, limit: 2 }, fixture.options());
    equal("a pass", (await pass()).more, true);
    equal("two are gone", (await ticksOf(fixture, "s")).length, 3);
    await pass();
    equal("the last pass", (await pass()).more, false);
    equal("all are gone", await ticksOf(fixture, "s"), []);
  },
});

export const tickClaimNameCases = rules("tick of a version and a pool", {
  "a tick starts a chain with a version and a pool": async (fixture) => {
    await create(fixture, "s", 0);
    const details = { version: 3, pool: "gpu" };
    const starts = [{ at: fixture.now(), start: job("a", details) }];
    const [begun] = await tickOnce(fixture, "s", {}, { starts });
    equal("not by others", await fixture.claim(["a"]), []);
    const [held] = await fixture.claim(["a"], details);
    match("claimed", held, { ...details, chainId: chainIdOf(begun) });
    match("the reply", begun, { status: "started" });
  },
});
