import type { MaintainReply, MaintainRequest } from "chainwright/adapter";
import { equal, holds, match } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, jobs, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";

const day = 86_400_000;

function maintain(stage: Stage, details: Partial<MaintainRequest>): Promise<MaintainReply> {
  return stage.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 100, ...details }, stage.options());
}

/** Passes until there is no more to do; answers how many chains they deleted. */
async function maintainAll(stage: Stage, details: Partial<MaintainRequest>): Promise<number> {
  let removed = 0;
  for (let pass = 0; pass < 50; pass += 1) {
    const reply = await maintain(stage, details);
    removed += reply.removed;
    if (!reply.more && reply.removed === 0) return removed;
  }
  throw new Error("fifty passes and no end");
}

async function failedChain(stage: Stage, typeName: string): Promise<string> {
  const { id } = await stage.startOne(job(typeName));
  await stage.settled(failed({ chainId: id, typeName }));
  return id;
}

export const maintainCases = rules("maintain", {
  "deletes completed and cancelled chains that ended longer ago than the limit, and keeps the others": async (
    stage,
  ) => {
    const old = await stage.completedChain(job("a"));
    const gone = await stage.startOne(job("b"));
    await stage.store.cancel([{ chainId: gone.id, reason: undefined }], stage.options());
    const broken = await failedChain(stage, "c");
    const active = await stage.startOne(job("d"));
    stage.advance(day);
    const young = await stage.completedChain(job("a"));
    stage.advance(day);
    equal("two", await maintain(stage, { completedMs: day + 1 }), { removed: 2, more: false });
    equal("what stays", await statuses(stage, [old.id, gone.id, broken, active.id, young.id]), [
      undefined,
      undefined,
      "failed",
      "active",
      "completed",
    ]);
    await countsAgree(stage);
  },

  "deletes failed chains by a limit of their own": async (stage) => {
    const done = await stage.completedChain(job("a"));
    const old = await failedChain(stage, "b");
    stage.advance(day);
    const young = await failedChain(stage, "b");
    stage.advance(1);
    equal("one", await maintain(stage, { failedMs: day }), { removed: 1, more: false });
    equal("what stays", await statuses(stage, [done.id, old, young]), ["completed", undefined, "failed"]);
  },

  "without limits keeps everything": async (stage) => {
    await stage.completedChain(job("a"));
    await failedChain(stage, "b");
    stage.advance(10_000 * day);
    equal("none", await maintain(stage, {}), { removed: 0, more: false });
    equal("both", (await chains(stage)).length, 2);
  },

  "goes by when the chain ended, not by when it or its first step began": async (stage) => {
    const chain = await stage.startOne(job("a"));
    stage.advance(10 * day);
    await stage.settled(continued({ chainId: chain.id, typeName: "a" }, job("b")));
    stage.advance(10 * day);
    equal("active", (await maintain(stage, { completedMs: day, failedMs: day })).removed, 0);
    await stage.settled(completed({ chainId: chain.id, typeName: "b" }));
    equal("just ended", (await maintain(stage, { completedMs: day })).removed, 0);
    stage.advance(day + 1);
    equal("with all its jobs", await maintain(stage, { completedMs: day }), { removed: 1, more: false });
    equal("no job is left", await jobs(stage), []);
    equal("none is counted", await counts(stage), {});
  },

  "deletes no more than its limit in one pass, and says that there is more": async (stage) => {
    for (let index = 0; index < 7; index += 1) await stage.completedChain(job("a"));
    stage.advance(day);
    equal("first", await maintain(stage, { completedMs: 1, limit: 3 }), { removed: 3, more: true });
    equal("second", await maintain(stage, { completedMs: 1, limit: 3 }), { removed: 3, more: true });
    equal("third", await maintain(stage, { completedMs: 1, limit: 3 }), { removed: 1, more: false });
    equal("none is left", await chains(stage), []);
  },

  "keeps what a job that is not completed refers to, and does not stop at it": async (stage) => {
    const blocker = await stage.completedChain(job("x"), "1");
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: job("y") }] }));
    for (let index = 0; index < 5; index += 1) await stage.completedChain(job("z"));
    stage.advance(day);
    equal("the others", await maintainAll(stage, { completedMs: 1, failedMs: 1, limit: 2 }), 5);
    equal("kept", await statuses(stage, [blocker.id, waiting.id]), ["completed", "active"]);
    await stage.settled(completed((await stage.claimOne("y")).fence));
    const held = await stage.claimOne("a");
    equal(
      "it sees its blocker",
      held.blockers.map(({ output }) => output),
      ["1", "null"],
    );
    await stage.settled(completed(held.fence));
    stage.advance(day);
    equal("once it has completed, they all go", await maintainAll(stage, { completedMs: 1 }), 3);
    equal("the blocker, too", await statuses(stage, [blocker.id]), [undefined]);
  },

  "keeps what a failed chain would need for a retry, as long as that is kept": async (stage) => {
    const blocker = await stage.completedChain(job("x"));
    const broken = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await stage.settled(failed({ chainId: broken.id, typeName: "a" }));
    stage.advance(day);
    equal("kept", await maintain(stage, { completedMs: 1 }), { removed: 0, more: false });
    equal("both go together, or one after the other", await maintainAll(stage, { completedMs: 1, failedMs: 1 }), 2);
  },

  "a retried chain is no longer old": async (stage) => {
    const id = await failedChain(stage, "a");
    stage.advance(day);
    await stage.store.retry([{ chainId: id, input: undefined, typeName: undefined }], stage.options());
    equal("kept", await maintain(stage, { completedMs: 1, failedMs: 1 }), { removed: 0, more: false });
    match("active", await stage.chain(id), { status: "active" });
  },

  "frees deduplication keys with their chains, keeps those that hold": async (stage) => {
    const keyed = (key: string, windowMs?: number) => job("a", { deduplication: { key, scope: "any", windowMs } });
    await stage.completedChain(keyed("for ever"));
    await stage.completedChain(keyed("an hour", 3_600_000));
    const windowed = await stage.startOne(keyed("a week", 7 * day));
    stage.advance(day);
    equal("two", (await maintain(stage, { completedMs: 1 })).removed, 2);
    for (const key of ["for ever", "an hour"]) {
      const again = await stage.startOne(keyed(key));
      equal("a new chain", again.deduplicated, false);
    }
    match("still held", await stage.startOne(keyed("a week")), { id: windowed.id, deduplicated: true });
  },

  "may be done by many at the same time, beside their work": async (stage) => {
    const other = await stage.connect();
    for (let index = 0; index < 20; index += 1) await stage.completedChain(job("a"));
    stage.advance(day);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.insist(() => maintain(own, { completedMs: 1, limit: 5 }));
      }),
    );
    await stage.startOne(job("b"));
    const removed = replies.reduce((sum, reply) => sum + reply.removed, 0);
    holds("no chain is deleted twice", removed <= 20, replies);
    equal("and none is forgotten", (await maintainAll(stage, { completedMs: 1 })) + removed, 20);
    equal("counts", await counts(stage), { "b ready": 1 });
  },
});
