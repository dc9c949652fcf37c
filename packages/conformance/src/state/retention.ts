import type { MaintainRequest } from "chainwright/adapter";
import { equal } from "../check.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, countsAgree, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { maintainAll } from "./upkeep-passes.ts";
import { accepted } from "./fixture.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** Returns how many chains were deleted. */
function retain(fixture: StateFixture, details: Partial<MaintainRequest>): Promise<number> {
  return maintainAll(fixture, { chore: "retention", ...details });
}

/** Runs the passes now and a minute later, because a store may first wait for older transactions that can still add chains. */
async function retainTwice(fixture: StateFixture, details: Partial<MaintainRequest>): Promise<number> {
  const removed = await retain(fixture, details);
  fixture.advance(60_000);
  return removed + (await retain(fixture, details));
}

async function failedChain(fixture: StateFixture): Promise<string> {
  const { id } = await fixture.startOne(job("f"));
  await fixture.settled(failed({ chainId: id, typeName: "f" }));
  return id;
}

const end = (fixture: StateFixture, chainId: string, typeName = "a") =>
  fixture.settled(completed({ chainId, typeName }));
const cancel = (fixture: StateFixture, chainId: string) =>
  fixture.store.cancel([{ chainId, reason: undefined }], fixture.options());
const retry = (fixture: StateFixture, chainId: string) =>
  fixture.store.retry([{ chainId, input: undefined, typeName: undefined }], fixture.options());

/** Retention remembers which chains it has seen. A chain that changes afterwards must still be deleted in time. */
export const retentionCases = rules("retention", {
  "a chain that was active during a pass is deleted when its retention time is over, not before": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    fixture.advance(day + 1);
    equal("active", await retainTwice(fixture, { completedMs: day }), 0);
    fixture.advance(hour);
    await end(fixture, id);
    fixture.advance(day - 1);
    equal("too early", await retain(fixture, { completedMs: day }), 0);
    fixture.advance(2);
    equal("in time", await retain(fixture, { completedMs: day }), 1);
  },

  "chains that ran longer than their retention time are deleted, at the latest after as long as they ran": async (
    fixture,
  ) => {
    const { id } = await fixture.startOne(job("a"));
    for (let minute = 0; minute < 10; minute += 1) {
      fixture.advance(60_000);
      equal("active", await retain(fixture, { completedMs: 0 }), 0);
    }
    await end(fixture, id);
    fixture.advance(10 * 60_000 + 1);
    equal("gone", await retain(fixture, { completedMs: 0 }), 1);
  },

  "a chain that fails as it begins is deleted when the retention time of failed chains is over": async (fixture) => {
    const broken = await failedChain(fixture);
    const { id } = await fixture.startOne(job("a", { blockers: [blockedBy(broken)] }));
    equal("it failed", await statuses(fixture, [id]), ["failed"]);
    fixture.advance(day - 1);
    equal("too early", await retain(fixture, { completedMs: 1, failedMs: day }), 0);
    fixture.advance(2);
    equal("both, since one refers to the other", await retainTwice(fixture, { completedMs: 1, failedMs: day }), 2);
    equal("gone", await statuses(fixture, [broken, id]), [undefined, undefined]);
  },

  "failed chains that were kept are deleted once a retention time is set": async (fixture) => {
    const ids = [await failedChain(fixture), await failedChain(fixture), await failedChain(fixture)];
    for (let pass = 0; pass < 3; pass += 1) {
      fixture.advance(10 * day);
      equal("kept", await retain(fixture, { completedMs: 1 }), 0);
    }
    equal("not yet", await retain(fixture, { completedMs: 1, failedMs: 31 * day }), 0);
    equal("gone", await retain(fixture, { completedMs: 1, failedMs: 29 * day, limit: 1 }), 3);
    equal("all of them", await statuses(fixture, ids), [undefined, undefined, undefined]);
  },

  "completed chains that were kept are deleted once a retention time is set": async (fixture) => {
    await fixture.completedChain(job("a"));
    await failedChain(fixture);
    fixture.advance(10 * day);
    equal("the failed one", await retain(fixture, { failedMs: 1 }), 1);
    equal("kept", await retain(fixture, { completedMs: 20 * day, failedMs: 1 }), 0);
    equal("gone", await retain(fixture, { completedMs: 1 }), 1);
  },

  "workers with different retention times do not disturb each other": async (fixture) => {
    const [short, long] = [{ completedMs: hour }, { completedMs: 10 * day, failedMs: 20 * day }];
    await fixture.completedChain(job("a"));
    await failedChain(fixture);
    fixture.advance(2 * hour);
    equal("short", await retain(fixture, short), 1);
    await fixture.completedChain(job("a"));
    equal("long", await retain(fixture, long), 0);
    fixture.advance(2 * hour);
    equal("short", await retain(fixture, short), 1);
    fixture.advance(20 * day);
    equal("long", await retain(fixture, long), 1);
    equal("none is left", await chains(fixture), []);
  },

  "a failed chain that is retried after a pass is deleted by the limit of its final status": async (fixture) => {
    const [mended, broken] = [await failedChain(fixture), await failedChain(fixture)];
    fixture.advance(day);
    equal("kept", await retainTwice(fixture, { completedMs: hour }), 0);
    for (const id of [mended, broken]) accepted("retried", await retry(fixture, id));
    await end(fixture, mended, "f");
    await fixture.settled(failed({ chainId: broken, typeName: "f" }));
    equal("young", await retain(fixture, { completedMs: hour, failedMs: hour }), 0);
    fixture.advance(day);
    equal("completed", await retain(fixture, { completedMs: hour }), 1);
    equal("which one", await statuses(fixture, [mended, broken]), [undefined, "failed"]);
    equal("failed", await retain(fixture, { completedMs: hour, failedMs: hour }), 1);
  },

  "a cancelled chain that is retried, or cancelled again, is deleted in time": async (fixture) => {
    const [on, off] = [await fixture.startOne(job("a")), await fixture.startOne(job("a"))];
    for (const { id } of [on, off]) accepted("cancelled", await cancel(fixture, id));
    fixture.advance(day);
    equal("young", await retainTwice(fixture, { completedMs: 2 * day }), 0);
    for (const { id } of [on, off]) accepted("retried", await retry(fixture, id));
    equal("active", await retainTwice(fixture, { completedMs: hour }), 0);
    await end(fixture, on.id);
    accepted("cancelled", await cancel(fixture, off.id));
    fixture.advance(hour - 1);
    equal("young", await retain(fixture, { completedMs: hour }), 0);
    fixture.advance(2 * day);
    equal("gone", await retain(fixture, { completedMs: hour }), 2);
  },

  "deletes every chain in time while others start and end": async (fixture) => {
    let [removed, ended] = [0, 0];
    const open: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      for (const { id } of await fixture.start([job("a"), job("a"), job("a")])) open.push(id);
      // One chain of three stays open for a while.
      for (const id of open.splice(round % 2, 2)) {
        if (round % 3 === 0) await fixture.settled(failed({ chainId: id, typeName: "a" }));
        else await end(fixture, id);
        ended += 1;
      }
      fixture.advance(hour);
      const request = { completedMs: 2 * hour, failedMs: 3 * hour, limit: 2 };
      removed += (await fixture.store.maintain(request, fixture.options())).removed;
      await countsAgree(fixture);
    }
    for (const id of open) await end(fixture, id);
    fixture.advance(2 * day);
    removed += await retain(fixture, { completedMs: 2 * hour, failedMs: 3 * hour, limit: 2 });
    equal("all", removed, ended + open.length);
    equal("none is left", await chains(fixture), []);
  },

  "the blockers of a chain are deleted with it or after it": async (fixture) => {
    const blocker = await fixture.completedChain(job("x"));
    const broken = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: job("y") }] }));
    await cancel(fixture, broken.id);
    const [inline] = await fixture.claim(["y"]);
    if (inline !== undefined) await fixture.settled(failed(inline.fence));
    fixture.advance(day);
    equal("kept", await retain(fixture, { completedMs: 10 * day }), 0);
    fixture.advance(10 * day);
    let removed = 0;
    for (let pass = 0; pass < 4; pass += 1)
      removed += await retain(fixture, { completedMs: 10 * day, failedMs: day, limit: 1 });
    equal("all three", removed, 3);
  },

  "chains that start after younger ones were deleted by hand are deleted in their turn": async (fixture) => {
    const kept = await fixture.startOne(job("a"));
    const gone = await fixture.startOne(job("a"));
    fixture.advance(day);
    equal("active", await retainTwice(fixture, { completedMs: hour }), 0);
    accepted("deleted", await fixture.store.remove({ chainIds: [gone.id], cascade: false }, fixture.options()));
    const next = await fixture.completedChain(job("b"));
    fixture.advance(day);
    equal("gone", await retain(fixture, { completedMs: hour }), 1);
    equal("which one", await statuses(fixture, [kept.id, next.id]), ["active", undefined]);
    const again = await fixture.completedChain(job("b"));
    fixture.advance(day);
    equal("gone", await retain(fixture, { completedMs: hour }), 1);
    equal("which one", await statuses(fixture, [kept.id, again.id]), ["active", undefined]);
  },

  "a clock that was ahead or is set back does not delay deletions": async (fixture) => {
    const limits = { completedMs: day, failedMs: day };
    await fixture.completedChain(job("a"));
    const old = await fixture.startOne(job("a"));
    fixture.advance(100 * day);
    await failedChain(fixture);
    equal("the old one", await retainTwice(fixture, limits), 1);
    fixture.advance(2 * day);
    equal("one of the wrong time", await retain(fixture, limits), 1);
    const active = await fixture.startOne(job("a"));
    await fixture.completedChain(job("a"));
    await failedChain(fixture);
    fixture.advance(-101 * day);
    await fixture.completedChain(job("b"));
    await failedChain(fixture);
    await fixture.settled(failed({ chainId: old.id, typeName: "a" }));
    equal("young", await retainTwice(fixture, { ...limits, limit: 1 }), 0);
    fixture.advance(day + 1);
    equal("those of the right time", await retain(fixture, { ...limits, limit: 1 }), 3);
    await end(fixture, active.id);
    fixture.advance(103 * day);
    equal("and the others in the end", await retain(fixture, limits), 3);
    equal("none is left", await chains(fixture), []);
  },
});
