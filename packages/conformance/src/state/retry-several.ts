import type { RetryItem, StartedJob } from "chainwright/adapter";
import { equal, match, only, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, everything, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted, refused } from "./fixture.ts";

function item(chainId: string, input?: string): RetryItem {
  return { chainId, input, typeName: undefined };
}

function retry(fixture: StateFixture, items: readonly RetryItem[]) {
  return fixture.store.retry(items, fixture.options());
}

/** A chain that failed, one that failed because of it, and one that failed because of that. */
async function fallen(fixture: StateFixture): Promise<readonly [string, string, string]> {
  const first = await fixture.startOne(job("x"));
  const second = await fixture.startOne(job("a", { blockers: [blockedBy(first.id)], priority: 2 }));
  const third = await fixture.startOne(job("b", { blockers: [blockedBy(second.id)] }));
  await fixture.settled(failed({ chainId: first.id, typeName: "x" }));
  return [first.id, second.id, third.id];
}

export const retrySeveralCases = rules("retry of several", {
  "of a chain and one that failed because of it both count as retried, in either order": async (fixture) => {
    for (const turn of ["blocker first", "dependent first"]) {
      const [x, a, b] = await fallen(fixture);
      const ids = turn === "blocker first" ? [x, a] : [a, x];
      const items = ids.map((id) => item(id, id === a ? '"new"' : undefined));
      const replies = accepted(turn, await retry(fixture, items));
      equal(
        "replies in order",
        replies.map((one) => [one.job.chainId, one.job.status]),
        ids.map((id) => [id, id === x ? "ready" : "blocked"]),
      );
      equal(
        "the one not named is blocked again, reported once",
        replies.flatMap(({ reblocked }) => reblocked.map(({ chainId }) => chainId)),
        [b],
      );
      equal("all active", await statuses(fixture, [x, a, b]), ["active", "active", "active"]);
      await countsAgree(fixture);
      await fixture.settled(completed((await fixture.claimOne("x")).fence));
      const held = await fixture.claimOne("a");
      match("it continues when its blocker has completed, with its new input", held, {
        id: a,
        input: '"new"',
        priority: 2,
      });
      await fixture.settled(completed(held.fence));
      await fixture.settled(completed((await fixture.claimOne("b")).fence));
      equal("all completed", await statuses(fixture, [x, a, b]), ["completed", "completed", "completed"]);
      await countsAgree(fixture);
    }
  },

  "three chains that failed one because of the other all count as retried, the last one named first": async (
    fixture,
  ) => {
    const [x, a, b] = await fallen(fixture);
    const replies = accepted(
      "accepted",
      await retry(
        fixture,
        [b, a, x].map((id) => item(id)),
      ),
    );
    equal(
      "replies in order",
      replies.map((one) => [one.job.chainId, one.job.status, one.reblocked]),
      [
        [b, "blocked", []],
        [a, "blocked", []],
        [x, "ready", []],
      ],
    );
    await countsAgree(fixture);
  },

  "all are refused when one of them has a blocker that stays failed, and nothing is written": async (fixture) => {
    const [x, y] = await fixture.start([job("x"), job("x")]);
    const chains = { x: x?.id ?? "", y: y?.id ?? "" };
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(chains.y), blockedBy(chains.x)] }));
    await fixture.settled(failed({ chainId: chains.x, typeName: "x" }));
    await fixture.settled(failed({ chainId: chains.y, typeName: "x" }));
    const before = await everything(fixture);
    const ids = [chains.x, waiting.id];
    for (const order of [ids, ids.toReversed()]) {
      const refusal = refused(
        "refused",
        await retry(
          fixture,
          order.map((id) => item(id)),
        ),
      );
      match("for the one in the way", refusal, {
        code: "chain-not-retryable",
        id: waiting.id,
        actual: "failed",
        references: [chains.y],
      });
      equal("nothing is written", await everything(fixture), before);
    }
  },

  "a dependent whose deduplication key another chain holds by now stays failed": async (fixture) => {
    const keyed = { key: "k", scope: "active", windowMs: undefined } as const;
    const root = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)], deduplication: keyed }));
    const behind = await fixture.startOne(job("b", { blockers: [blockedBy(waiting.id)] }));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const rival = await fixture.startOne(job("c", { deduplication: keyed }));
    match("the key is another's", rival, { deduplicated: false });
    const reply = only("one", accepted("accepted", await retry(fixture, [item(root.id)])));
    equal("no job is blocked again", reply.reblocked, []);
    equal("as they are", await statuses(fixture, [root.id, waiting.id, behind.id, rival.id]), [
      "active",
      "failed",
      "failed",
      "active",
    ]);
    match("the key is the other's still", await fixture.startOne(job("c", { deduplication: keyed })), { id: rival.id });
    await countsAgree(fixture);
    await fixture.settled(completed({ chainId: rival.id, typeName: "c" }));
    await fixture.settled(completed({ chainId: root.id, typeName: "x" }));
    const later = only("one", accepted("by itself, once the key is free", await retry(fixture, [item(waiting.id)])));
    match("ready, because its blocker has completed", later.job, { status: "ready" });
    equal(
      "and the one behind it is blocked again",
      later.reblocked.map(({ chainId }) => chainId),
      [behind.id],
    );
    match("it has its key", await fixture.startOne(job("c", { deduplication: keyed })), { id: waiting.id });
  },

  "of two dependents with one deduplication key one is blocked again": async (fixture) => {
    const keyed = { key: "k", scope: "active", windowMs: undefined } as const;
    const root = await fixture.startOne(job("x"));
    const one = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)], deduplication: keyed }));
    await fixture.settled(failed({ chainId: one.id, typeName: "a" }));
    accepted("alone", await retry(fixture, [item(one.id)]));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const two = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)], deduplication: keyed }));
    match("written as failed", await fixture.chain(two.id), { status: "failed" });
    const reply = only("one", accepted("accepted", await retry(fixture, [item(root.id)])));
    equal("one is reported", reply.reblocked.length, 1);
    const ends = await statuses(fixture, [one.id, two.id]);
    sameMembers("one is active", ends.map(String), ["active", "failed"]);
    const back = ends[0] === "active" ? one.id : two.id;
    equal("the one that is reported", only("one", reply.reblocked).chainId, back);
    match("it has the key", await fixture.startOne(job("c", { deduplication: keyed })), { id: back });
    await countsAgree(fixture);
  },

  "a dependent that is blocked again keeps the error it had": async (fixture) => {
    const [x, a] = await fallen(fixture);
    const { errors } = await fixture.job(a);
    accepted("accepted", await retry(fixture, [item(x)]));
    match("the job", await fixture.job(a), { status: "blocked", errors, attempt: 0 });
    match("its chain", await fixture.chain(a), { status: "active", errors: undefined });
  },

  "a job that was scheduled and blocked is due at once when it is retried itself, and at its time when its blocker is":
    async (fixture) => {
      for (const turn of ["itself", "its blocker"]) {
        const root = await fixture.startOne(job("x"));
        const details = { blockers: [blockedBy(root.id)], schedule: { afterMs: 1_000 } };
        const waiting = await fixture.startOne(job("a", details));
        await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
        const ids = turn === "itself" ? [waiting.id, root.id] : [root.id];
        accepted(
          "accepted",
          await retry(
            fixture,
            ids.map((id) => item(id)),
          ),
        );
        const { unblocked } = await fixture.settled(completed({ chainId: root.id, typeName: "x" }));
        const expected: Partial<StartedJob> =
          turn === "itself" ? { status: "ready", dueInMs: undefined } : { status: "scheduled", dueInMs: 1_000 };
        match(turn, only("freed", unblocked), expected);
        match(turn, await fixture.job(waiting.id), { status: turn === "itself" ? "ready" : "scheduled" });
        fixture.advance(1_000);
        await fixture.settled(completed((await fixture.claimOne("a")).fence));
        await countsAgree(fixture);
      }
    },

  "a later step that failed because of a blocker continues when that blocker is retried": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    const chain = await fixture.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    await fixture.settled(failed((await fixture.claimOne("x")).fence));
    const replies = accepted("accepted", await retry(fixture, [item(chain.id), item(bad.id)]));
    equal(
      "both",
      replies.map((one) => one.job),
      [
        { jobId: next.id, chainId: chain.id, typeName: "b", status: "blocked", dueInMs: undefined },
        { jobId: bad.id, chainId: bad.id, typeName: "x", status: "ready", dueInMs: undefined },
      ],
    );
    await countsAgree(fixture);
  },
});
