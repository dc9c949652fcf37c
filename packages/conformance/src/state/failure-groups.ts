import { storedFailureKind, type FailureGroupsReply, type FailureQuery } from "chainwright/adapter";
import { equal, match } from "../check.ts";
import { blockedBy, completed, continued, errorsText, failed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";
import { rulesWith } from "./group.ts";
import { jobQuery } from "./listing.ts";
import { cancelChain, item, retry } from "./retrying.ts";

/** Errors as a worker writes them: the last one has the kind. */
function errorsOfKind(kind: string, message = "it broke"): string {
  return JSON.stringify([
    { attempt: 1, at: 0, workerId: "w", name: "Error", message, kind: "earlier" },
    { attempt: 2, at: 0, workerId: "w", name: "Error", message, kind },
  ]);
}

async function fail(fixture: StateFixture, typeName: string, errors: string): Promise<{ readonly id: string }> {
  const { id } = await fixture.startOne(job(typeName));
  await fixture.settled(failed((await fixture.claimOne(typeName)).fence, errors));
  return { id };
}

async function groups(fixture: StateFixture, query: Partial<FailureQuery> = {}): Promise<FailureGroupsReply> {
  const asked = { typeNames: undefined, since: undefined, limit: 100, ...query };
  const none = { groups: [], groupCount: 0, failureCount: 0 };
  return (await fixture.store.groupFailures?.(asked, fixture.options())) ?? none;
}

const countsOf = ({ groups: found }: FailureGroupsReply) =>
  found.map(({ typeName, kind, count }) => `${typeName} ${kind} ${count}`);

export const failureGroupCases = rulesWith("failure groups", "history", {
  "count failed jobs by type and kind, the largest first, and name the newest": async (fixture) => {
    const first = await fail(fixture, "a", errorsOfKind("k1"));
    const firstAt = fixture.now();
    fixture.advance(10);
    await fail(fixture, "b", errorsOfKind("k1"));
    await fail(fixture, "a", errorsOfKind("k2"));
    await fail(fixture, "a", errorsText("no kind is stored"));
    fixture.advance(10);
    const last = await fail(fixture, "a", errorsOfKind("k1"));
    const reply = await groups(fixture);
    equal("groups", countsOf(reply), ["a k1 2", "a  1", "a k2 1", "b k1 1"]);
    match("in all", reply, { groupCount: 4, failureCount: 5 });
    equal("the largest", reply.groups[0], {
      typeName: "a",
      kind: "k1",
      count: 2,
      firstAt,
      lastAt: fixture.now(),
      newestJobId: last.id,
    });
    const one = await groups(fixture, { limit: 1 });
    equal("limited", [countsOf(one), one.groupCount, one.failureCount], [["a k1 2"], 4, 5]);
    equal("of a type", countsOf(await groups(fixture, { typeNames: ["b", "c"] })), ["b k1 1"]);
    equal("of none", await groups(fixture, { typeNames: [] }), { groups: [], groupCount: 0, failureCount: 0 });
    equal("since then", countsOf(await groups(fixture, { since: fixture.now() })), ["a k1 1"]);
    equal("later", countsOf(await groups(fixture, { since: fixture.now() + 1 })), []);
    equal("the first is one of them", (await fixture.job(first.id)).status, "failed");
  },

  "are not fooled by a message that looks like a kind": async (fixture) => {
    const errors = errorsText('"kind":"fake"}]');
    equal("read", storedFailureKind(errors), "");
    await fail(fixture, "a", errors);
    await fail(fixture, "a", errorsOfKind("k1", '"kind":"fake"}] \u{1F600} \u0001 é'));
    equal("groups", countsOf(await groups(fixture)).toSorted(), ["a  1", "a k1 1"]);
  },

  "count neither jobs that were cancelled, retried or deleted, nor steps before the one that failed": async (
    fixture,
  ) => {
    const { id: cancelled } = await fixture.startOne(job("a"));
    await cancelChain(fixture, cancelled);
    const retried = await fail(fixture, "a", errorsOfKind("k1"));
    const deleted = await fail(fixture, "a", errorsOfKind("k1"));
    const { id: stepped } = await fixture.startOne(job("a"));
    await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    await fixture.settled(failed((await fixture.claimOne("b")).fence, errorsOfKind("k2")));
    equal("before", countsOf(await groups(fixture)), ["a k1 2", "b k2 1"]);
    accepted("retried", await retry(fixture, [item(retried.id)]));
    accepted("deleted", await fixture.store.remove({ chainIds: [deleted.id], cascade: false }, fixture.options()));
    equal("after", countsOf(await groups(fixture)), ["b k2 1"]);
    await fixture.settled(failed((await fixture.claimOne("a")).fence, errorsOfKind("k3")));
    equal("failed again", countsOf(await groups(fixture)), ["a k3 1", "b k2 1"]);
    accepted("deleted", await fixture.store.remove({ chainIds: [stepped], cascade: false }, fixture.options()));
    equal("without the chain of two", countsOf(await groups(fixture)), ["a k3 1"]);
  },

  "count failures that a call, an exchange or a blocker causes, and none that was undone": async (fixture) => {
    const blocker = await fixture.startOne(job("gate"));
    await fixture.start([
      job("held", { blockers: [blockedBy(blocker.id)] }),
      job("held", { blockers: [blockedBy(blocker.id)] }),
    ]);
    await fixture.start([job("a"), job("a"), job("a")]);
    const held = await fixture.claim(["a"], { limit: 3 });
    const outcomes = held.map(({ fence }, n) => (n === 0 ? completed(fence) : failed(fence, errorsOfKind("many"))));
    await fixture.store.settle(outcomes, fixture.options());
    await fixture.settled(failed((await fixture.claimOne("gate")).fence, errorsOfKind("gate")));
    const { id } = await fixture.startOne(job("undone"));
    const claimed = await fixture.claimOne("undone");
    const undone = new Error("undone");
    await fixture
      .transact(async (tx) => {
        await fixture.settle(failed(claimed.fence, errorsOfKind("undone")), tx);
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    equal("still open", (await fixture.chain(id)).status, "active");
    equal("groups", countsOf(await groups(fixture)).toSorted(), ["a many 2", "gate gate 1", "held blocker 2"]);
  },

  "list their jobs page by page": async (fixture) => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await fail(fixture, "a", errorsOfKind("k1"))).id);
    const since = fixture.now() + 5;
    fixture.advance(5);
    const late = await fail(fixture, "a", errorsOfKind("k1"));
    await fail(fixture, "a", errorsOfKind("k2"));
    const { id: cancelled } = await fixture.startOne(job("a"));
    await cancelChain(fixture, cancelled);
    const listed = async (failures: { kind: string | undefined; since: number | undefined }, more: object = {}) => {
      const jobs = await fixture.store.listJobs(jobQuery({ failures, ...more }), fixture.options());
      return jobs.map((each) => each.id);
    };
    const all = await listed({ kind: "k1", since: undefined });
    equal("of a kind", all.toSorted(), [...ids, late.id].toSorted());
    equal("since", await listed({ kind: "k1", since }), [late.id]);
    equal("of any kind", (await listed({ kind: undefined, since })).length, 2);
    equal("of another type", await listed({ kind: "k1", since: undefined }, { typeNames: ["b"] }), []);
    equal("cancelled", await listed({ kind: "k1", since: undefined }, { statuses: ["cancelled"] }), []);
    equal("by id", await listed({ kind: "k1", since: undefined }, { ids: [late.id, cancelled], limit: 1 }), [late.id]);
    equal(
      "backwards",
      await listed({ kind: "k1", since: undefined }, { order: "descending", limit: 2 }),
      all.toReversed().slice(0, 2),
    );
    const [first, second] = [
      await listed({ kind: "k1", since: undefined }, { limit: 4 }),
      await listed({ kind: "k1", since: undefined }, { after: all[3] }),
    ] as const;
    equal("two pages", [...first, ...second], all);
    accepted("retried", await retry(fixture, [item(late.id)]));
    equal("after a retry", await listed({ kind: "k1", since }), []);
  },
});
