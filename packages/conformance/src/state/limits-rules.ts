import type { LimitChange } from "chainwright/adapter";
import { equal, match } from "../check.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import {
  change,
  complete,
  declare,
  keysOf,
  limitOf,
  lookAtLanes,
  places,
  rate,
  take,
  times,
  under,
} from "./limiting.ts";

const acme = { tenant: "acme" };

const override = (concurrency: number, key?: string): LimitChange => {
  return { kind: "override", limit: "tenant", key, rule: places(concurrency) };
};
const reset = (key?: string): LimitChange => ({ kind: "reset", limit: "tenant", key });
const pause = (key?: string, forMs?: number): LimitChange => ({ kind: "pause", limit: "tenant", key, forMs });
const resume = (key?: string): LimitChange => ({ kind: "resume", limit: "tenant", key });
const declared = (concurrency: number, codeVersion?: number): LimitChange => {
  return { kind: "declare", limit: "tenant", rule: places(concurrency), codeVersion };
};

async function declaration(fixture: StateFixture) {
  return (await fixture.store.listLimitDeclarations(fixture.options()))[0];
}

/** What counts: declarations, overrides and pauses. */
export const limitRuleCases = rules("limits", {
  "a higher limit counts for the next claim, while the key is full": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(6, () => under(acme)));
    equal("one", (await take(fixture)).length, 1);
    equal("full", await take(fixture), []);
    equal("known", await change(fixture, [override(3, "acme")]), [true]);
    equal("two more", (await take(fixture)).length, 2);
    equal("full", await take(fixture), []);
    await change(fixture, [declared(9)]);
    equal("the override counts", await take(fixture), []);
  },

  "a lower limit stops no job that runs, and counts as they end (C10)": async (fixture) => {
    await declare(fixture, { tenant: places(4) });
    await fixture.start(times(8, () => under(acme)));
    const held = await take(fixture);
    equal("four", held.length, 4);
    await change(fixture, [override(2, "acme")]);
    const renewal = held.map(({ fence }) => ({ jobId: fence.jobId, fence: fence.fence, leaseMs: 30_000 }));
    equal("all go on", await fixture.store.renew({ workerId: "worker-1", held: renewal }, fixture.options()), []);
    for (const [n, each] of held.entries()) {
      await complete(fixture, each);
      equal(`after ${n + 1}`, (await take(fixture)).length, n < 2 ? 0 : 1);
    }
    match("two", await limitOf(fixture, "tenant", "acme"), { running: 2, waiting: 2 });
  },

  "the override of a key counts for it, the one for all keys for others, and a reset removes it": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await change(fixture, [override(2), override(3, "acme")]);
    await fixture.start(["acme", "bee"].flatMap((tenant) => times(5, () => under({ tenant }))));
    equal("three and two", keysOf(await take(fixture)).toSorted(), ["acme", "acme", "acme", "bee", "bee"]);
    match("acme", await limitOf(fixture, "tenant", "acme"), {
      rule: places(3),
      declared: places(1),
      isOverridden: true,
    });
    await change(fixture, [reset("acme")]);
    match("as all", await limitOf(fixture, "tenant", "acme"), { rule: places(2), isOverridden: true });
    await change(fixture, [reset()]);
    match("as declared", await limitOf(fixture, "tenant", "acme"), { rule: places(1), isOverridden: false });
    equal("no more than one each", await take(fixture), []);
  },

  "an override replaces only the numbers that it has, and is added to the one before": async (fixture) => {
    const both = { concurrency: 5, rate: { count: 9, perMs: 1_000, spread: false } };
    await declare(fixture, { tenant: both });
    await change(fixture, [override(2, "acme")]);
    match("places", await limitOf(fixture, "tenant", "acme"), { rule: { ...both, concurrency: 2 } });
    await change(fixture, [{ kind: "override", limit: "tenant", key: "acme", rule: rate(4, 2_000, true) }]);
    const added = { concurrency: 2, rate: { count: 4, perMs: 2_000, spread: true } };
    match("and a rate", await limitOf(fixture, "tenant", "acme"), { rule: added });
    await change(fixture, [{ kind: "override", limit: "tenant", key: undefined, rule: rate(7, 100) }]);
    match("number by number", await limitOf(fixture, "tenant", "bee"), {
      rule: { concurrency: 5, rate: { count: 7, perMs: 100, spread: false } },
    });
    match("its own", await limitOf(fixture, "tenant", "acme"), { rule: added });
  },

  "the declaration with the highest code version counts": async (fixture) => {
    await change(fixture, [declared(1)]);
    await change(fixture, [declared(2)]);
    match("without versions the last", await declaration(fixture), { declared: places(2), codeVersion: undefined });
    await change(fixture, [declared(3, 7)]);
    match("one with a version", await declaration(fixture), { declared: places(3), codeVersion: 7 });
    await change(fixture, [declared(4)]);
    match("not one without", await declaration(fixture), { declared: places(3), codeVersion: 7 });
    await change(fixture, [declared(5, 6)]);
    match("not a lower one", await declaration(fixture), { declared: places(3), codeVersion: 7 });
    await change(fixture, [declared(6, 7)]);
    match("an equal one", await declaration(fixture), { declared: places(6), codeVersion: 7 });
    await change(fixture, [declared(7, 8)]);
    match("a higher one", await declaration(fixture), { declared: places(7), codeVersion: 8 });
  },

  "declarations are listed by name, with what counts for all keys": async (fixture) => {
    await declare(fixture, { tenant: places(2), B: rate(1, 10), "a'": places(1) });
    await change(fixture, [override(4), override(9, "acme"), pause(undefined, 5_000), pause("acme")]);
    const until = fixture.now() + 5_000;
    const none = { codeVersion: undefined, override: undefined, pausedUntil: undefined };
    equal("in order", await fixture.store.listLimitDeclarations(fixture.options()), [
      { limit: "B", declared: rate(1, 10), ...none },
      { limit: "a'", declared: places(1), ...none },
      { limit: "tenant", declared: places(2), codeVersion: undefined, override: places(4), pausedUntil: until },
    ]);
    fixture.advance(5_000);
    await change(fixture, [reset()]);
    match("later", (await fixture.store.listLimitDeclarations(fixture.options()))[2], {
      override: undefined,
      pausedUntil: undefined,
    });
  },

  "a change of a limit that no one has declared or overridden is reported and writes nothing": async (fixture) => {
    equal("unknown", await change(fixture, [pause("acme"), resume(), reset("acme")]), [false, false, false]);
    await fixture.startOne(under(acme));
    await take(fixture);
    equal("also with a job", await change(fixture, [pause("acme")]), [false]);
    match("not paused", await limitOf(fixture, "tenant", "acme"), { pausedUntil: undefined });
    equal("known by the change before", await change(fixture, [override(2, "acme"), pause("acme"), resume("acme")]), [
      true,
      true,
      true,
    ]);
    equal("still closed", await take(fixture), []);
  },

  "no job with a paused key begins until the key is resumed, and what runs goes on": async (fixture) => {
    await declare(fixture, { tenant: places(3) });
    await fixture.start(["acme", "bee"].flatMap((tenant) => times(2, () => under({ tenant }))));
    const [held] = await take(fixture, ["a"], { limit: 1 });
    await change(fixture, [pause("acme")]);
    equal("the others", [...new Set(keysOf(await take(fixture)))], ["bee"]);
    match("paused", await limitOf(fixture, "tenant", "acme"), { pausedUntil: Infinity });
    if (held !== undefined) await complete(fixture, held);
    equal("still", await take(fixture), []);
    await change(fixture, [resume("acme")]);
    equal(
      "resumed",
      (await take(fixture)).every((each) => each.limits?.[0]?.key === "acme"),
      true,
    );
    match("all run", await limitOf(fixture, "tenant", "acme"), { waiting: 0, pausedUntil: undefined });
  },

  "a pause of all keys holds back each of them": async (fixture) => {
    await declare(fixture, { tenant: places(3) });
    await change(fixture, [pause()]);
    await fixture.start(["acme", "bee"].map((tenant) => under({ tenant })));
    equal("none", await take(fixture), []);
    await change(fixture, [resume("acme")]);
    equal("it is not a pause of the key", await take(fixture), []);
    await change(fixture, [resume()]);
    equal("both", (await take(fixture)).length, 2);
  },

  "a pause ends by itself when its time has passed, and the claim says when": async (fixture) => {
    await declare(fixture, { tenant: places(3) });
    await fixture.startOne(under(acme));
    await change(fixture, [pause("acme", 700)]);
    const { claimed, nextDueInMs } = await lookAtLanes(fixture);
    equal("none", [claimed, nextDueInMs], [[], 700]);
    match("until then", await limitOf(fixture, "tenant", "acme"), { pausedUntil: fixture.now() + 700, opensInMs: 700 });
    fixture.advance(699);
    equal("not yet", await take(fixture), []);
    fixture.advance(1);
    equal("then", (await take(fixture)).length, 1);
    match("no pause", await limitOf(fixture, "tenant", "acme"), { pausedUntil: undefined, opensInMs: undefined });
  },

  "of two pauses the later end counts, whichever came first": async (fixture) => {
    await declare(fixture, { tenant: places(3) });
    await change(fixture, [pause("acme", 5_000), pause("acme", 1_000)]);
    match("the longer", await limitOf(fixture, "tenant", "acme"), { pausedUntil: fixture.now() + 5_000 });
    await change(fixture, [pause("acme"), pause("acme", 9_000)]);
    match("without end", await limitOf(fixture, "tenant", "acme"), { pausedUntil: Infinity });
    await change(fixture, [resume("acme"), pause("acme", 100), pause(undefined, 300)]);
    match("that of all keys", await limitOf(fixture, "tenant", "acme"), { pausedUntil: fixture.now() + 300 });
  },

  "keys are returned as asked for, those without jobs too": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start(times(3, () => under(acme)));
    await take(fixture);
    const keys = [
      { limit: "tenant", key: "none" },
      { limit: "unknown", key: "acme" },
      { limit: "tenant", key: "acme" },
    ];
    const idle = {
      running: 0,
      waiting: 0,
      isOverridden: false,
      pausedUntil: undefined,
      breaker: undefined,
      opensInMs: undefined,
    };
    equal("in their order", await fixture.store.listLimits({ keys, limit: 10 }, fixture.options()), [
      { limit: "tenant", key: "none", rule: places(2), declared: places(2), ...idle },
      { limit: "unknown", key: "acme", rule: undefined, declared: undefined, ...idle },
      { limit: "tenant", key: "acme", rule: places(2), declared: places(2), ...idle, running: 2, waiting: 1 },
    ]);
  },

  "keys in use are listed in pages, by limit and key": async (fixture) => {
    await declare(fixture, { tenant: places(1), user: places(1) });
    const users = ["u1", "u2", "u3"];
    await fixture.start(users.map((user) => under({ user, tenant: "acme" })));
    await fixture.start([under({ tenant: "B" }), under({ tenant: "b" })]);
    await take(fixture);
    const all = ["tenant B", "tenant acme", "tenant b", "user u1", "user u2", "user u3"];
    for (const limit of [1, 2, 5, 6, 100]) {
      const found: string[] = [];
      for (let after: { limit: string; key: string } | undefined; ;) {
        const page = await fixture.store.listLimits({ after, limit }, fixture.options());
        found.push(...page.map((each) => `${each.limit} ${each.key}`));
        after = page.at(-1);
        if (page.length < limit) break;
      }
      equal(`pages of ${limit}`, found, all);
    }
    const listed = async (query: { limitName?: string; isBusy?: boolean }) =>
      (await fixture.store.listLimits({ ...query, limit: 10 }, fixture.options())).map(({ key }) => key);
    equal("of one limit", await listed({ limitName: "user" }), users);
    equal("of an unknown limit", await listed({ limitName: "none" }), []);
    equal("where jobs wait", await listed({ isBusy: true }), ["acme", "u2", "u3"]);
    await change(fixture, [pause("B")]);
    equal("or that are paused", await listed({ isBusy: true, limitName: "tenant" }), ["B", "acme"]);
  },

  "when a rate lets the next job begin is returned with its key": async (fixture) => {
    await declare(fixture, { tenant: rate(2, 1_000) });
    await fixture.start(times(3, () => under(acme)));
    await take(fixture, ["a"], { limit: 1 });
    match("now", await limitOf(fixture, "tenant", "acme"), { opensInMs: undefined });
    fixture.advance(300);
    await take(fixture);
    match("when the first leaves the window", await limitOf(fixture, "tenant", "acme"), { opensInMs: 700 });
  },
});
