import { equal, holds, match } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { accepted } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import {
  complete,
  declare,
  keyOf,
  keysOf,
  limitOf,
  lookAtLanes,
  places,
  rate,
  take,
  takeOne,
  times,
  under,
} from "./limiting.ts";
import { pause, resume } from "./pausing.ts";

const acme = { tenant: "acme" };
const idsOf = (held: readonly { readonly id: string }[]) => held.map(({ id }) => id);

async function due(fixture: StateFixture): Promise<readonly string[]> {
  const query = { typeNames: undefined, after: undefined, limit: 10 };
  return idsOf(await fixture.store.listDue(query, fixture.options()));
}

/** The ways in which a job becomes ready, and who may claim it. */
export const limitWayCases = rules("limits", {
  "a scheduled job enters its lane when it is due, in the order of the starts": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const early = await fixture.startOne(under(acme, "a", { schedule: { afterMs: 1_000 } }));
    const [first, second] = await fixture.start(times(2, () => under(acme)));
    match("scheduled", await fixture.job(early.id), {
      status: "scheduled",
      limits: [{ limit: "tenant", key: "acme" }],
    });
    equal("listed as due", await due(fixture), [early.id]);
    const held = await takeOne(fixture);
    equal("not due yet", held.id, first?.id);
    fixture.advance(1_000);
    match("due", await fixture.job(early.id), { status: "ready" });
    equal("not listed", await due(fixture), []);
    equal("full", await take(fixture), []);
    await complete(fixture, held);
    const next = await takeOne(fixture);
    equal("started before the second", next.id, early.id);
    await complete(fixture, next);
    equal("last", idsOf(await take(fixture)), [second?.id]);
  },

  "a claim says when a scheduled job under a limit is due": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.startOne(under(acme, "a", { schedule: { afterMs: 400 } }));
    match("soon", await lookAtLanes(fixture), { claimed: [], nextDueInMs: 400 });
  },

  "a triggered job waits for a place like any other": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const [, later] = await fixture.start([under(acme), under(acme, "a", { schedule: { afterMs: 60_000 } })]);
    const held = await takeOne(fixture);
    accepted("triggered", await fixture.store.trigger([later?.id ?? ""], fixture.options()));
    match("ready", await fixture.job(later?.id ?? ""), { status: "ready" });
    equal("full", await take(fixture), []);
    await complete(fixture, held);
    equal("it", (await takeOne(fixture)).id, later?.id);
  },

  "jobs whose blockers end together wait for places like any others (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    const blocker = await fixture.startOne(job("x"));
    await fixture.start(times(5, () => under(acme, "a", { blockers: [blockedBy(blocker.id)] })));
    equal("blocked", await take(fixture), []);
    await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal("two", (await take(fixture)).length, 2);
    equal("no more", await take(fixture), []);
    match("the others wait", await limitOf(fixture, "tenant", "acme"), { running: 2, waiting: 3 });
  },

  "a next step and an inline blocker are under limits of their own": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const chain = await fixture.startOne(job("first"));
    const held = await fixture.claimOne("first");
    const inline = under(acme, "b");
    await fixture.settled(continued(held.fence, under(acme, "a", { blockers: [{ start: inline }] })));
    const first = await takeOne(fixture, "b");
    await fixture.startOne(under(acme, "a"));
    equal("full", await take(fixture, ["a", "b"]), []);
    await complete(fixture, first);
    const [next] = await take(fixture, ["a"]);
    equal("written earlier", [next?.chainId, keyOf(next ?? first)], [chain.id, "acme"]);
    equal("full", await take(fixture), []);
  },

  "a place is given back when a job continues its chain, and the next step takes its own (C3)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.startOne(under(acme));
    const held = await takeOne(fixture);
    await fixture.settled(continued(held.fence, under(acme, "b")));
    match("no place", await limitOf(fixture, "tenant", "acme"), { running: 0 });
    await complete(fixture, await takeOne(fixture, "b"));
    match("ended", await fixture.chain(held.chainId), { status: "completed" });
  },

  "a chain that is retried is under its limits again (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const [chain] = await fixture.start(times(2, () => under(acme)));
    await fixture.settled(failed((await takeOne(fixture)).fence));
    const other = await takeOne(fixture);
    const item = { chainId: chain?.id ?? "", input: undefined, typeName: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    match("ready", await fixture.job(chain?.id ?? ""), { status: "ready", limits: [{ limit: "tenant", key: "acme" }] });
    equal("full", await take(fixture), []);
    await complete(fixture, other);
    equal("the retried one", idsOf(await take(fixture)), [chain?.id]);
  },

  "a chain that is retried with another input is under the limits of that input": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const chain = await fixture.startOne(under(acme));
    await fixture.settled(failed((await takeOne(fixture)).fence));
    const limits = [{ limit: "tenant", key: "bee" }];
    const item = { chainId: chain.id, input: "7", limits, typeName: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    const held = await takeOne(fixture);
    equal("the new key", [keyOf(held), held.input], ["bee", "7"]);
    await fixture.settled(failed(held.fence));
    accepted("retried", await fixture.store.retry([{ ...item, limits: undefined }], fixture.options()));
    equal("none", (await fixture.claimOne("a")).limits, undefined);
  },

  "a dependent that is blocked again by a retry is under its limits when it is released": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const blocker = await fixture.startOne(job("x"));
    await fixture.start(times(2, () => under(acme, "a", { blockers: [blockedBy(blocker.id)] })));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    const item = { chainId: blocker.id, input: undefined, typeName: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    await fixture.settled(completed({ chainId: blocker.id, typeName: "x" }));
    equal("one", keysOf(await take(fixture)), ["acme"]);
    equal("full", await take(fixture), []);
  },

  "a job that waits for a place can be cancelled and retried": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const [, chain] = await fixture.start(times(2, () => under(acme)));
    const held = await takeOne(fixture);
    equal("full", await take(fixture), []);
    accepted(
      "cancelled",
      await fixture.store.cancel([{ chainId: chain?.id ?? "", reason: undefined }], fixture.options()),
    );
    const item = { chainId: chain?.id ?? "", input: undefined, typeName: undefined };
    accepted("retried", await fixture.store.retry([item], fixture.options()));
    equal("full", await take(fixture), []);
    await complete(fixture, held);
    equal("it", idsOf(await take(fixture)), [chain?.id]);
  },

  "a job whose lease ran out is taken over with its place, and spends nothing of the rate (C1, C2, C3)": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: { concurrency: 1, rate: { count: 1, perMs: 3_600_000, spread: false } } });
    await fixture.start(times(2, () => under(acme)));
    const lost = await takeOne(fixture, "a", { leaseMs: 1_000, workerId: "gone" });
    fixture.advance(1_000);
    match("it keeps the place", await limitOf(fixture, "tenant", "acme"), { running: 1 });
    const [held] = await take(fixture, ["a"], { workerId: "other" });
    equal("the same job", [held?.id, held?.attempt, held?.limits], [lost.id, 2, lost.limits]);
    equal("no other", await take(fixture), []);
    equal("the one before has lost it", (await fixture.settle(completed(lost.fence))).status, "lost");
    match("still one", await limitOf(fixture, "tenant", "acme"), { running: 1, waiting: 1 });
  },

  "any claim takes a job over whose lease ran out, whether or not it looks for jobs under limits": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const lost = await takeOne(fixture, "a", { leaseMs: 1_000 });
    equal("full", await take(fixture), []);
    fixture.advance(1_000);
    equal("taken over", idsOf(await fixture.claim(["a"])), [lost.id]);
  },

  "an attempt whose lease ran out settles its job if no one has taken it over, and gives the place back": async (
    fixture,
  ) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start(times(2, () => under(acme)));
    const late = await takeOne(fixture, "a", { leaseMs: 1_000 });
    fixture.advance(2_000);
    await fixture.settled(completed(late.fence));
    equal("the next", (await take(fixture)).length, 1);
    match("one", await limitOf(fixture, "tenant", "acme"), { running: 1, waiting: 0 });
  },

  "versions and pools share the places of a key, and each has lanes of its own (C1)": async (fixture) => {
    await declare(fixture, { tenant: places(2) });
    const own = { version: 2, pool: "gpu" };
    await fixture.start([...times(2, () => under(acme, "a", own)), ...times(2, () => under(acme))]);
    equal("of the pool", (await take(fixture, ["a"], { ...own, limit: 1 })).length, 1);
    const plain = await take(fixture);
    equal(
      "without a pool",
      plain.map(({ version, pool }) => [version, pool]),
      [[1, undefined]],
    );
    equal("full for both", [await take(fixture), await take(fixture, ["a"], own)], [[], []]);
    for (const held of plain) await complete(fixture, held);
    equal("free for the pool", (await take(fixture, ["a"], own)).length, 1);
  },

  "a paused type takes no places, and its jobs wait in their lanes": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start([under(acme, "a"), under(acme, "b"), under(acme, "b")]);
    await pause(fixture, "a");
    const held = await take(fixture, ["a", "b"]);
    equal(
      "the other type",
      held.map(({ typeName }) => typeName),
      ["b"],
    );
    await resume(fixture, "a");
    equal("full", await take(fixture, ["a", "b"]), []);
    for (const each of held) await complete(fixture, each);
    equal("one", (await take(fixture, ["a", "b"])).length, 1);
    await pause(fixture, "b");
    equal("nothing of a paused type", idsOf(await take(fixture, ["b"])), []);
  },

  "a place that only a lane of another type could take is not lost (C4)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    await fixture.start([under(acme, "a"), under(acme, "b"), under(acme, "a")]);
    const held = await takeOne(fixture, "a");
    equal("both full", [await take(fixture, ["a"]), await take(fixture, ["b"])], [[], []]);
    await complete(fixture, held);
    fixture.advance(1_000);
    equal("one of them", (await take(fixture, ["a"])).length, 1);
    equal("not both", await take(fixture, ["b"]), []);
  },

  "the place of a lane whose second limit is full goes to another lane (C4)": async (fixture) => {
    await declare(fixture, { all: places(1), tenant: places(1) });
    const of = (tenant: string, typeName = "a") => under({ all: "1", tenant }, typeName);
    await fixture.start([under({ tenant: "x" }, "b"), of("y"), of("x"), of("z")]);
    await takeOne(fixture, "b");
    const held = await takeOne(fixture);
    equal("full", await take(fixture), []);
    await complete(fixture, held);
    fixture.advance(1_000);
    const next = [...(await take(fixture)), ...(await take(fixture))];
    equal(
      "the third key",
      next.map(({ limits }) => limits?.[1]?.key),
      ["z"],
    );
  },

  "a limit of beginnings and one of places work together in both orders of their names": async (fixture) => {
    await declare(fixture, { a: rate(1, 1_000), b: places(2), c: rate(1, 1_000) });
    await fixture.start([...times(2, () => under({ a: "1", b: "1" })), ...times(2, () => under({ b: "2", c: "1" }))]);
    equal("one each", (await take(fixture)).length, 2);
    for (const key of ["1", "2"]) match(`a place of ${key} is free`, await limitOf(fixture, "b", key), { running: 1 });
    fixture.advance(1_000);
    equal("one each", (await take(fixture)).length, 2);
  },

  "many keys that come at once are all served (C4)": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const tenants = Array.from({ length: 60 }, (_, n) => `t${n}`);
    await fixture.start(tenants.flatMap((tenant) => times(2, () => under({ tenant }))));
    const seen: string[] = [];
    for (let round = 0; round < 60 && seen.length < 120; round += 1) {
      const held = await take(fixture, ["a"], { limit: 7 });
      holds("at least one", held.length > 0, seen.length);
      for (const each of held) await complete(fixture, each);
      seen.push(...keysOf(held));
    }
    equal("each twice", seen.toSorted(), tenants.flatMap((tenant) => [tenant, tenant]).toSorted());
  },
});
