import type { MaintainRequest } from "chainwright/adapter";
import { equal } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, countsAgree, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted } from "./stage.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** Passes of retention until there is no more to do; returns how many chains they deleted. */
async function retain(stage: Stage, details: Partial<MaintainRequest>): Promise<number> {
  const request = { chore: "retention", completedMs: undefined, failedMs: undefined, limit: 100, ...details } as const;
  let removed = 0;
  for (let pass = 0; pass < 100; pass += 1) {
    const reply = await stage.store.maintain(request, stage.options());
    removed += reply.removed;
    if (!reply.more) return removed;
  }
  throw new Error("a hundred passes and no end");
}

/** The same, and again a minute later: a store may want to be sure that no transaction of before can still add something. */
async function retainTwice(stage: Stage, details: Partial<MaintainRequest>): Promise<number> {
  const removed = await retain(stage, details);
  stage.advance(60_000);
  return removed + (await retain(stage, details));
}

async function failedChain(stage: Stage): Promise<string> {
  const { id } = await stage.startOne(job("f"));
  await stage.settled(failed({ chainId: id, typeName: "f" }));
  return id;
}

const end = (stage: Stage, chainId: string, typeName = "a") => stage.settled(completed({ chainId, typeName }));
const cancel = (stage: Stage, chainId: string) => stage.store.cancel([{ chainId, reason: undefined }], stage.options());
const retry = (stage: Stage, chainId: string) =>
  stage.store.retry([{ chainId, input: undefined, typeName: undefined }], stage.options());

/** Retention remembers what it has looked at: a chain that changes afterwards goes when its time comes all the same. */
export const retentionCases = rules("retention", {
  "a chain that was active when upkeep passed it goes when it has been over for long enough, not before": async (
    stage,
  ) => {
    const { id } = await stage.startOne(job("a"));
    stage.advance(day + 1);
    equal("active", await retainTwice(stage, { completedMs: day }), 0);
    stage.advance(hour);
    await end(stage, id);
    stage.advance(day - 1);
    equal("too early", await retain(stage, { completedMs: day }), 0);
    stage.advance(2);
    equal("in time", await retain(stage, { completedMs: day }), 1);
  },

  "chains that last longer than they are kept go, too, at the latest after as long as they lasted": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    for (let minute = 0; minute < 10; minute += 1) {
      stage.advance(60_000);
      equal("active", await retain(stage, { completedMs: 0 }), 0);
    }
    await end(stage, id);
    stage.advance(10 * 60_000 + 1);
    equal("gone", await retain(stage, { completedMs: 0 }), 1);
  },

  "failed chains that are kept go once they are no longer to be kept": async (stage) => {
    const ids = [await failedChain(stage), await failedChain(stage), await failedChain(stage)];
    for (let pass = 0; pass < 3; pass += 1) {
      stage.advance(10 * day);
      equal("kept", await retain(stage, { completedMs: 1 }), 0);
    }
    equal("not yet", await retain(stage, { completedMs: 1, failedMs: 31 * day }), 0);
    equal("gone", await retain(stage, { completedMs: 1, failedMs: 29 * day, limit: 1 }), 3);
    equal("all of them", await statuses(stage, ids), [undefined, undefined, undefined]);
  },

  "completed chains that are kept go once they are no longer to be kept": async (stage) => {
    await stage.completedChain(job("a"));
    await failedChain(stage);
    stage.advance(10 * day);
    equal("the failed one", await retain(stage, { failedMs: 1 }), 1);
    equal("kept", await retain(stage, { completedMs: 20 * day, failedMs: 1 }), 0);
    equal("gone", await retain(stage, { completedMs: 1 }), 1);
  },

  "workers that keep chains for different times do not stand in each other's way": async (stage) => {
    const [short, long] = [{ completedMs: hour }, { completedMs: 10 * day, failedMs: 20 * day }];
    await stage.completedChain(job("a"));
    await failedChain(stage);
    stage.advance(2 * hour);
    equal("short", await retain(stage, short), 1);
    await stage.completedChain(job("a"));
    equal("long", await retain(stage, long), 0);
    stage.advance(2 * hour);
    equal("short", await retain(stage, short), 1);
    stage.advance(20 * day);
    equal("long", await retain(stage, long), 1);
    equal("none is left", await chains(stage), []);
  },

  "a failed chain that is retried after upkeep passed it goes by the limit of how it ends": async (stage) => {
    const [mended, broken] = [await failedChain(stage), await failedChain(stage)];
    stage.advance(day);
    equal("kept", await retainTwice(stage, { completedMs: hour }), 0);
    for (const id of [mended, broken]) accepted("retried", await retry(stage, id));
    await end(stage, mended, "f");
    await stage.settled(failed({ chainId: broken, typeName: "f" }));
    equal("young", await retain(stage, { completedMs: hour, failedMs: hour }), 0);
    stage.advance(day);
    equal("completed", await retain(stage, { completedMs: hour }), 1);
    equal("which one", await statuses(stage, [mended, broken]), [undefined, "failed"]);
    equal("failed", await retain(stage, { completedMs: hour, failedMs: hour }), 1);
  },

  "a cancelled chain that is retried, and one that is cancelled again, go in time": async (stage) => {
    const [on, off] = [await stage.startOne(job("a")), await stage.startOne(job("a"))];
    for (const { id } of [on, off]) accepted("cancelled", await cancel(stage, id));
    stage.advance(day);
    equal("young", await retainTwice(stage, { completedMs: 2 * day }), 0);
    for (const { id } of [on, off]) accepted("retried", await retry(stage, id));
    equal("active", await retainTwice(stage, { completedMs: hour }), 0);
    await end(stage, on.id);
    accepted("cancelled", await cancel(stage, off.id));
    stage.advance(hour - 1);
    equal("young", await retain(stage, { completedMs: hour }), 0);
    stage.advance(2 * day);
    equal("gone", await retain(stage, { completedMs: hour }), 2);
  },

  "goes on while chains begin and end, and forgets none": async (stage) => {
    let [removed, ended] = [0, 0];
    const open: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      for (const { id } of await stage.start([job("a"), job("a"), job("a")])) open.push(id);
      // One of three stays open for a while.
      for (const id of open.splice(round % 2, 2)) {
        if (round % 3 === 0) await stage.settled(failed({ chainId: id, typeName: "a" }));
        else await end(stage, id);
        ended += 1;
      }
      stage.advance(hour);
      const request = { completedMs: 2 * hour, failedMs: 3 * hour, limit: 2 };
      removed += (await stage.store.maintain(request, stage.options())).removed;
      await countsAgree(stage);
    }
    for (const id of open) await end(stage, id);
    stage.advance(2 * day);
    removed += await retain(stage, { completedMs: 2 * hour, failedMs: 3 * hour, limit: 2 });
    equal("all", removed, ended + open.length);
    equal("none is left", await chains(stage), []);
  },

  "what a chain needed goes with it, or after it": async (stage) => {
    const blocker = await stage.completedChain(job("x"));
    const broken = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: job("y") }] }));
    await cancel(stage, broken.id);
    const [inline] = await stage.claim(["y"]);
    if (inline !== undefined) await stage.settled(failed(inline.fence));
    stage.advance(day);
    equal("kept", await retain(stage, { completedMs: 10 * day }), 0);
    stage.advance(10 * day);
    let removed = 0;
    for (let pass = 0; pass < 4; pass += 1)
      removed += await retain(stage, { completedMs: 10 * day, failedMs: day, limit: 1 });
    equal("all three", removed, 3);
  },

  "chains that begin after younger ones were deleted by hand go in their turn": async (stage) => {
    const kept = await stage.startOne(job("a"));
    const gone = await stage.startOne(job("a"));
    stage.advance(day);
    equal("active", await retainTwice(stage, { completedMs: hour }), 0);
    accepted("deleted", await stage.store.remove({ chainIds: [gone.id], cascade: false }, stage.options()));
    const next = await stage.completedChain(job("b"));
    stage.advance(day);
    equal("gone", await retain(stage, { completedMs: hour }), 1);
    equal("which one", await statuses(stage, [kept.id, next.id]), ["active", undefined]);
    const again = await stage.completedChain(job("b"));
    stage.advance(day);
    equal("gone", await retain(stage, { completedMs: hour }), 1);
    equal("which one", await statuses(stage, [kept.id, again.id]), ["active", undefined]);
  },

  "a clock that was ahead, and one that is set back, hold nothing up": async (stage) => {
    const limits = { completedMs: day, failedMs: day };
    await stage.completedChain(job("a"));
    const old = await stage.startOne(job("a"));
    stage.advance(100 * day);
    await failedChain(stage);
    equal("the old one", await retainTwice(stage, limits), 1);
    stage.advance(2 * day);
    equal("one of the wrong time", await retain(stage, limits), 1);
    const active = await stage.startOne(job("a"));
    await stage.completedChain(job("a"));
    await failedChain(stage);
    stage.advance(-101 * day);
    await stage.completedChain(job("b"));
    await failedChain(stage);
    await stage.settled(failed({ chainId: old.id, typeName: "a" }));
    equal("young", await retainTwice(stage, { ...limits, limit: 1 }), 0);
    stage.advance(day + 1);
    equal("those of the right time", await retain(stage, { ...limits, limit: 1 }), 3);
    await end(stage, active.id);
    stage.advance(103 * day);
    equal("and the others in the end", await retain(stage, limits), 3);
    equal("none is left", await chains(stage), []);
  },
});
