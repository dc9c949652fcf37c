import { equal, holds, match, present } from "../check.ts";
import { completed, job } from "./build.ts";
import type { Held, StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import {
  change,
  complete,
  declare,
  keysOf,
  limitOf,
  places,
  rate,
  take,
  takeOne,
  tally,
  times,
  under,
  waysToEnd,
} from "./limiting.ts";
import { ids } from "./pausing.ts";

const acme = { tenant: "acme" };
const idsOf = (held: readonly Held[]) => held.map(({ id }) => id);

/** Places: how many jobs with a key run at the same time. */
export const limitCases = rules("limits", {
  "no more jobs with a key are leased than the limit allows, in one claim and in several (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start(times(5, () => under(acme)));
    equal("one claim", (await take(fixture)).length, 2);
    equal("another", await take(fixture, ["a"], { workerId: "other" }), []);
    match("used", await limitOf(fixture, "tenant", "acme"), { running: 2, waiting: 3 });
  },

  "each key has places of its own, and jobs without limits need none (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start([
      ...times(5, () => under(acme)),
      ...times(5, () => under({ tenant: "bee" })),
      ...times(3, () => job("a")),
    ]);
    equal("two of each", tally(keysOf(await take(fixture))), { acme: 2, bee: 2, none: 3 });
  },

  "a key has the same places for all types (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    await fixture.start([...times(3, () => under(acme, "a")), ...times(3, () => under(acme, "b"))]);
    equal("two", (await take(fixture, ["a", "b"])).length, 2);
    equal("no more", await take(fixture, ["b", "a"]), []);
  },

  "two limits with the same key are two limits": async (fixture) => {
    await declare(fixture, { tenant: places(1), user: places(1) });
    await fixture.start([under({ tenant: "x" }), under({ user: "x" }), under({ tenant: "x" })]);
    equal("one of each", (await take(fixture)).length, 2);
  },

  "a job needs a place of each of its limits, in any order in which their names stand (C1)": async (fixture) => {
    await declare(fixture, { first: places(3), second: places(1), third: places(2) });
    const start = (first: string, second: string) => under({ first, second });
    await fixture.start([start("x", "1"), start("x", "1"), start("x", "2"), start("x", "3"), start("x", "4")]);
    const held = await take(fixture);
    equal("three of the first, one of each second", tally(held.map(({ limits }) => limits?.[1]?.key ?? "")), {
      1: 1,
      2: 1,
      3: 1,
    });
    await fixture.start([under({ second: "5", third: "y" }), under({ second: "5", third: "y" })]);
    equal("the second is the first name here", (await take(fixture)).length, 1);
    match("taken once", await limitOf(fixture, "third", "y"), { running: 1 });
  },

  "a job under four limits begins when each of them has a place": async (fixture) => {
    await declare(fixture, { a: places(2), b: places(2), c: places(2), d: places(1) });
    await fixture.start(times(2, () => under({ a: "1", b: "1", c: "1", d: "1" })));
    const held = await takeOne(fixture);
    equal("all four", held.limits?.length, 4);
    equal("the last one is full", await take(fixture), []);
    for (const limit of ["a", "b", "c", "d"]) match(limit, await limitOf(fixture, limit, "1"), { running: 1 });
    await complete(fixture, held);
    equal("then the other", (await take(fixture)).length, 1);
  },

  "a place is free as soon as its job completes, fails or waits for a retry, and the next claim takes it (C3, C4)":
    async (fixture) => {
      await endEach(fixture, ["completed", "failed", "put off"]);
    },

  "a place is free as soon as its job is cancelled, completed from outside or deleted (C3, C4)": async (fixture) => {
    await endEach(fixture, ["cancelled", "completed from outside", "deleted"]);
  },

  "a claim in the exchange that settles a job takes the place that it gives back (C4)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const first = await takeOne(fixture);
    equal("full", await take(fixture), []);
    const claim = { workerId: "worker-1", types: [{ typeName: "a", leaseMs: 1_000 }], limit: 10, limited: true };
    const reply = await fixture.store.exchange({ outcomes: [completed(first.fence)], claim }, fixture.options());
    equal("the next", reply.claimed.length, 1);
  },

  "jobs that leave a lane while they wait for a place are not claimed, and leave it to others (C4)": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(1) });
    const [, cancelled, ended, deleted, last] = await fixture.start(times(5, () => under(acme)));
    const first = await takeOne(fixture);
    equal("full", await take(fixture), []);
    const chainId = (chain: { readonly id: string } | undefined) => present("a chain", chain).id;
    await fixture.store.cancel([{ chainId: chainId(cancelled), reason: undefined }], fixture.options());
    await fixture.settled(completed({ chainId: chainId(ended), typeName: "a" }));
    await fixture.store.remove({ chainIds: [chainId(deleted)], cascade: false }, fixture.options());
    equal("still full", await take(fixture), []);
    await complete(fixture, first);
    equal("the one that is left", idsOf(await take(fixture)), [chainId(last)]);
  },

  "the limits of a job are returned with the claim and with the job until it ends": async (fixture) => {
    await declare(fixture, { tenant: places(1), user: places(1) });
    const chain = await fixture.startOne(under({ user: "u", tenant: "acme" }, "a", { weight: 2, holds: true }));
    const keys = [
      { limit: "tenant", key: "acme" },
      { limit: "user", key: "u" },
    ];
    match("started", chain.jobs[0], { status: "ready" });
    match("ready", await fixture.job(chain.id), { status: "ready", limits: keys, scheduledAt: undefined });
    const held = await takeOne(fixture);
    equal("claimed", held.limits, keys);
    match("running", await fixture.job(chain.id), { status: "running", limits: keys });
    await complete(fixture, held);
    match("ended", await fixture.job(chain.id), { status: "completed", limits: undefined });
    await fixture.startOne(job("a"));
    equal("none", (await takeOne(fixture)).limits, undefined);
  },

  "any text can be a key and the name of a limit, and different texts are different keys": async (fixture) => {
    const texts = ["a", "A", "a ", "'", '"', "\\", "{a,b}", "[]", ":", "a:b", "%", "日本", "👍", "null", "0"];
    for (const name of texts) await declare(fixture, { [name]: places(1) });
    await fixture.start(texts.flatMap((text) => times(2, () => under({ [text]: text }))));
    equal("one of each limit", keysOf(await take(fixture)).toSorted(), texts.toSorted());
    await declare(fixture, { l: places(1) });
    await fixture.start(texts.flatMap((text) => times(2, () => under({ l: text }))));
    equal("one of each key", keysOf(await take(fixture)).toSorted(), texts.toSorted());
  },

  "no jobs of a limit begin that no one has declared, and they begin with the next claim after its declaration": async (
    fixture,
  ) => {
    await fixture.start([under(acme), job("a")]);
    equal("only the job without limits", keysOf(await take(fixture)), ["none"]);
    match("unknown", await limitOf(fixture, "tenant", "acme"), { rule: undefined, declared: undefined, running: 0 });
    await declare(fixture, { other: places(1) });
    equal("not for another limit", await take(fixture), []);
    await declare(fixture, { tenant: places(1) });
    equal("declared", keysOf(await take(fixture)), ["acme"]);
  },

  "a claim takes no more jobs under limits than it can begin at once, and fills the rest with others": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(4) });
    await fixture.start([...times(5, () => under(acme)), ...times(5, () => job("a"))]);
    const held = await take(fixture, ["a"], { limit: 6, startable: 2 });
    equal("two under limits", tally(keysOf(held)), { acme: 2, none: 4 });
    equal("none", tally(keysOf(await take(fixture, ["a"], { limit: 6, startable: 0 }))), { none: 1 });
    equal("the places that are left", (await take(fixture, ["a"], { startable: 3 })).length, 2);
  },

  "a claim takes more jobs under limits than it can begin at once only where half of the places stay free, and none that spends a token":
    async (fixture) => {
      await declare(fixture, {
        tenant: places(4),
        order: places(1),
        paid: { ...places(4), rate: rate(9, 1_000).rate },
      });
      const keys = [acme, { tenant: "bee" }, { order: "1" }, { paid: "acme" }, { ...acme, order: "2" }];
      await fixture.start(keys.flatMap((each) => times(5, () => under(each))));
      await change(fixture, [{ kind: "pause", limit: "tenant", key: "closed", forMs: undefined }]);
      await fixture.start(times(5, () => under({ tenant: "closed" })));
      const running = async () => [
        (await limitOf(fixture, "tenant", "acme")).running,
        (await limitOf(fixture, "tenant", "bee")).running,
        (await limitOf(fixture, "tenant", "closed")).running,
        (await limitOf(fixture, "order", "1")).running,
        (await limitOf(fixture, "paid", "acme")).running,
      ];
      for (let claims = 0; claims < 4; claims += 1) await take(fixture, ["a"], { limit: 40, startable: 0 });
      const [acmes = 0, bees = 0, ...none] = await running();
      holds("half of the places", acmes <= 2 && bees <= 2, [acmes, bees]);
      equal("none", none, [0, 0, 0]);
      for (let claims = 0; claims < 4; claims += 1) await take(fixture, ["a"], { limit: 40 });
      equal("the others are free", await running(), [4, 4, 0, 1, 4]);
    },

  "a claim looks for jobs under limits when it is asked to, or has made one ready itself (C9)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start([under(acme), under(acme)]);
    equal("makes them ready", (await fixture.claim(["a"])).length, 1);
    await fixture.startOne(under({ tenant: "bee" }));
    equal("of another type", await fixture.claim(["z"]), []);
    equal("not asked to", await fixture.claim(["a"]), []);
    equal("asked to", keysOf(await take(fixture)), ["bee"]);
  },

  "a claim of types without jobs under limits reports nothing of them": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(3, () => under(acme)));
    equal("one", (await take(fixture)).length, 1);
    match("another type", await fixture.look(["z"], { limited: true }), { claimed: [], nextDueInMs: undefined });
  },

  "a limit can be declared, and jobs claimed, by several workers at the same time (C1)": async (fixture) => {
    const others = await Promise.all([fixture.connect(), fixture.connect(), fixture.connect()]);
    await Promise.all(
      others.map((other) =>
        other.insist(() =>
          change(other, [{ kind: "declare", limit: "tenant", rule: places(3), codeVersion: undefined }]),
        ),
      ),
    );
    await fixture.start(times(12, () => under(acme)));
    const claimed = await Promise.all(
      others.map((other, n) => other.insist(() => take(other, ["a"], { workerId: `w-${n}` }))),
    );
    holds("three at most", claimed.flat().length <= 3, claimed.map(idsOf));
    const rest = await take(fixture);
    equal("three in all", claimed.flat().length + rest.length, 3);
    equal("each once", new Set([...claimed.flat(), ...rest].map(({ id }) => id)).size, 3);
    equal("no other", ids(await fixture.look(["a"], { limited: true })), []);
  },
});

/** Ends a job of a key with one place in each of these ways, and claims the next one. */
async function endEach(fixture: StateFixture, ways: readonly (keyof typeof waysToEnd)[]): Promise<void> {
  await declare(fixture, { tenant: places(1) });
  await fixture.start(times(ways.length + 1, () => under(acme)));
  const seen = new Set<string>();
  for (const how of ways) {
    const held = await takeOne(fixture);
    seen.add(held.id);
    equal("full", await take(fixture), []);
    await waysToEnd[how](fixture, held);
  }
  seen.add((await takeOne(fixture)).id);
  equal("each once", seen.size, ways.length + 1);
  match("one place", await limitOf(fixture, "tenant", "acme"), { running: 1, waiting: 0 });
}
