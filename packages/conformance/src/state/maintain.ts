import { equal, holds, match } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, jobs, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { maintain, maintainAll } from "./upkeep-passes.ts";

const day = 86_400_000;

async function failedChain(fixture: StateFixture, typeName: string): Promise<string> {
  const { id } = await fixture.startOne(job(typeName));
  await fixture.settled(failed({ chainId: id, typeName }));
  return id;
}

export const maintainCases = rules("maintain", {
  "deletes completed and cancelled chains that ended longer ago than the limit, and keeps the others": async (
    fixture,
  ) => {
    const old = await fixture.completedChain(job("a"));
    const gone = await fixture.startOne(job("b"));
    await fixture.store.cancel([{ chainId: gone.id, reason: undefined }], fixture.options());
    const broken = await failedChain(fixture, "c");
    const active = await fixture.startOne(job("d"));
    fixture.advance(day);
    const young = await fixture.completedChain(job("a"));
    fixture.advance(day);
    equal("two", await maintain(fixture, { completedMs: day + 1 }), { removed: 2, more: false });
    equal("what stays", await statuses(fixture, [old.id, gone.id, broken, active.id, young.id]), [
      undefined,
      undefined,
      "failed",
      "active",
      "completed",
    ]);
    await countsAgree(fixture);
  },

  "deletes failed chains by a limit of their own": async (fixture) => {
    const done = await fixture.completedChain(job("a"));
    const old = await failedChain(fixture, "b");
    fixture.advance(day);
    const young = await failedChain(fixture, "b");
    fixture.advance(1);
    equal("one", await maintain(fixture, { failedMs: day }), { removed: 1, more: false });
    equal("what stays", await statuses(fixture, [done.id, old, young]), ["completed", undefined, "failed"]);
  },

  "without limits keeps everything": async (fixture) => {
    await fixture.completedChain(job("a"));
    await failedChain(fixture, "b");
    fixture.advance(10_000 * day);
    equal("none", await maintain(fixture, {}), { removed: 0, more: false });
    equal("both", (await chains(fixture)).length, 2);
  },

  "goes by when the chain ended, not by when it or its first step began": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    fixture.advance(10 * day);
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    fixture.advance(10 * day);
    equal("active", (await maintain(fixture, { completedMs: day, failedMs: day })).removed, 0);
    await fixture.settled(completed({ chainId: chain.id, typeName: "b" }));
    equal("just ended", (await maintain(fixture, { completedMs: day })).removed, 0);
    fixture.advance(day + 1);
    equal("with all its jobs", await maintain(fixture, { completedMs: day }), { removed: 1, more: false });
    equal("no job is left", await jobs(fixture), []);
    equal("none is counted", await counts(fixture), {});
  },

  "deletes no more than its limit in one pass, and reports that there is more": async (fixture) => {
    for (let index = 0; index < 7; index += 1) await fixture.completedChain(job("a"));
    fixture.advance(day);
    equal("first", await maintain(fixture, { completedMs: 1, limit: 3 }), { removed: 3, more: true });
    equal("second", await maintain(fixture, { completedMs: 1, limit: 3 }), { removed: 3, more: true });
    equal("third", await maintain(fixture, { completedMs: 1, limit: 3 }), { removed: 1, more: false });
    equal("none is left", await chains(fixture), []);
  },

  "keeps what a job that is not completed refers to, and does not stop at it": async (fixture) => {
    const blocker = await fixture.completedChain(job("x"), "1");
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: job("y") }] }));
    for (let index = 0; index < 5; index += 1) await fixture.completedChain(job("z"));
    fixture.advance(day);
    equal("the others", await maintainAll(fixture, { completedMs: 1, failedMs: 1, limit: 2 }), 5);
    equal("kept", await statuses(fixture, [blocker.id, waiting.id]), ["completed", "active"]);
    await fixture.settled(completed((await fixture.claimOne("y")).fence));
    const held = await fixture.claimOne("a");
    equal(
      "it sees its blocker",
      held.blockers.map(({ output }) => output),
      ["1", "null"],
    );
    await fixture.settled(completed(held.fence));
    fixture.advance(day);
    equal("once it has completed, they all go", await maintainAll(fixture, { completedMs: 1 }), 3);
    equal("the blocker, too", await statuses(fixture, [blocker.id]), [undefined]);
  },

  "keeps what a failed chain would need for a retry, as long as that is kept": async (fixture) => {
    const blocker = await fixture.completedChain(job("x"));
    const broken = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(failed({ chainId: broken.id, typeName: "a" }));
    fixture.advance(day);
    equal("kept", await maintain(fixture, { completedMs: 1 }), { removed: 0, more: false });
    equal("both go together, or one after the other", await maintainAll(fixture, { completedMs: 1, failedMs: 1 }), 2);
  },

  "a retried chain is no longer old": async (fixture) => {
    const id = await failedChain(fixture, "a");
    fixture.advance(day);
    await fixture.store.retry([{ chainId: id, input: undefined, typeName: undefined }], fixture.options());
    equal("kept", await maintain(fixture, { completedMs: 1, failedMs: 1 }), { removed: 0, more: false });
    match("active", await fixture.chain(id), { status: "active" });
  },

  "frees deduplication keys with their chains, keeps those that hold": async (fixture) => {
    const keyed = (key: string, windowMs?: number) => job("a", { deduplication: { key, scope: "any", windowMs } });
    await fixture.completedChain(keyed("forever"));
    await fixture.completedChain(keyed("an hour", 3_600_000));
    const windowed = await fixture.startOne(keyed("a week", 7 * day));
    fixture.advance(day);
    equal("two", (await maintain(fixture, { completedMs: 1 })).removed, 2);
    for (const key of ["forever", "an hour"]) {
      const again = await fixture.startOne(keyed(key));
      equal("a new chain", again.deduplicated, false);
    }
    match("still held", await fixture.startOne(keyed("a week")), { id: windowed.id, deduplicated: true });
  },

  "can run in many processes at the same time, beside their work": async (fixture) => {
    const other = await fixture.connect();
    for (let index = 0; index < 20; index += 1) await fixture.completedChain(job("a"));
    fixture.advance(day);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.insist(() => maintain(own, { completedMs: 1, limit: 5 }));
      }),
    );
    await fixture.startOne(job("b"));
    const removed = replies.reduce((sum, reply) => sum + reply.removed, 0);
    holds("no chain is deleted twice", removed <= 20, replies);
    equal("and none is forgotten", (await maintainAll(fixture, { completedMs: 1 })) + removed, 20);
    equal("counts", await counts(fixture), { "b ready": 1 });
  },
});
