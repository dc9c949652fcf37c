import type { Fence } from "chainwright/adapter";
import { equal } from "../../check.ts";
import { deferred } from "../build.ts";
import { rules, type StateGroup } from "../group.ts";
import { leaseMs, losses } from "../losses.ts";
import { line, memosOf, note, noteAll, notesOf, noting, remember, running, type Content } from "./noting.ts";

const content: Content = {
  memos: [{ name: "m", value: "1" }],
  checkpoint: "1",
  progress: "1",
  lines: [line(1)],
};

/** Who may note something. */
export const noteFenceCases = rules("fences of notes", {
  "an attempt whose lease has run out notes nothing, even if no one has claimed the job since (F4)": async (
    fixture,
  ) => {
    const held = await running(fixture, { leaseMs });
    fixture.advance(leaseMs - 1);
    equal("in the last millisecond", await note(fixture, held, { checkpoint: "0" }), { status: "noted" });
    fixture.advance(1);
    equal("lost", await note(fixture, held, content), { status: "lost", reason: "lease-lost" });
    const { memos, checkpoint, progress, lines } = await notesOf(fixture, held.id);
    equal("nothing was written", [memos, checkpoint?.value, progress, lines], [[], "0", undefined, []]);
  },

  "a renewed lease is in force": async (fixture) => {
    const held = await running(fixture, { leaseMs });
    fixture.advance(leaseMs - 1);
    const { jobId, fence, workerId } = held.fence;
    await fixture.store.renew({ workerId, held: [{ jobId, fence, leaseMs }] }, fixture.options());
    fixture.advance(leaseMs - 1);
    equal("noted", await note(fixture, held, { progress: "1" }), { status: "noted" });
  },

  "a note does not renew the lease": async (fixture) => {
    const held = await running(fixture, { leaseMs });
    fixture.advance(leaseMs - 1);
    await note(fixture, held, { checkpoint: "1" });
    fixture.advance(1);
    equal("claimed", (await fixture.claimOne("a", { workerId: "worker-2" })).id, held.id);
  },

  "only the worker and the claim that hold the job note something": async (fixture) => {
    const held = await running(fixture);
    const others: readonly Fence[] = [
      { ...held.fence, workerId: "worker-2" },
      { ...held.fence, fence: held.fence.fence + 1 },
      { ...held.fence, fence: held.fence.fence - 1 },
    ];
    for (const fence of others)
      equal("lost", await note(fixture, { ...held, fence }, content), { status: "lost", reason: "lease-lost" });
    equal("nothing", (await notesOf(fixture, held.id)).checkpoint, undefined);
  },

  "a lost item does not affect the others of its call, and counts for none of its parts": async (fixture) => {
    const [one, two] = [await running(fixture), await running(fixture)];
    const late = { ...one, fence: { ...one.fence, fence: 9 } };
    const replies = await noteAll(fixture, [
      noting(late, content),
      noting(two, { checkpoint: "2" }),
      noting(one, { progress: "3" }),
    ]);
    equal("replies", replies, [{ status: "lost", reason: "lease-lost" }, { status: "noted" }, { status: "noted" }]);
    const { memos, checkpoint, progress } = await notesOf(fixture, one.id);
    equal("of the first", [memos, checkpoint, progress?.value], [[], undefined, "3"]);
  },

  "the reason of a loss is told: ended from outside": async (fixture) => {
    const held = await running(fixture);
    const { chainId, typeName } = held;
    await fixture.settled({ target: { chainId, typeName }, kind: "completed", output: "1" });
    equal("reason", await note(fixture, held, content), { status: "lost", reason: "completed-elsewhere" });
  },

  "the reason of a loss is told: cancelled": async (fixture) => {
    const held = await running(fixture);
    await fixture.store.cancel([{ chainId: held.chainId, reason: undefined }], fixture.options());
    equal("reason", await note(fixture, held, content), { status: "lost", reason: "cancelled" });
  },

  ...lateRules(),

  "inside a transaction the fence holds too": async (fixture) => {
    const held = await running(fixture);
    const late = { ...held, fence: { ...held.fence, fence: 9 } };
    const reply = await fixture.transact((tx) => note(fixture, late, content, tx));
    equal("lost", reply, { status: "lost", reason: "lease-lost" });
  },
});

/** Late attempts, by the way in which they lost their job. */
function lateRules(): StateGroup["rules"] {
  const entries = Object.entries(losses).map(([loss, lose]) => {
    const rule = `an attempt that ${loss} notes nothing, and replaces nothing of the next one (F4)`;
    const run: StateGroup["rules"][string] = async (fixture) => {
      const early = await running(fixture, { leaseMs });
      await remember(fixture, early, "early", "0");
      await lose(fixture, early);
      const again = await fixture.claimOne("a", { workerId: "worker-2", leaseMs });
      equal("sees", memosOf(again), [["early", "0"]]);
      const later = { ...content, memos: [{ name: "n", value: "2" }], checkpoint: "2", progress: "2" };
      equal("the next one", (await note(fixture, again, later)).status, "noted");
      equal("the late one", await note(fixture, early, content), { status: "lost", reason: "lease-lost" });
      const { checkpoint, progress } = await notesOf(fixture, early.id);
      equal("stays", [checkpoint?.value, progress?.value], ["2", "2"]);
      await fixture.settled(deferred(again.fence));
      const third = await fixture.claimOne("a");
      equal(
        "the third",
        [memosOf(third), third.checkpoint],
        [
          [
            ["early", "0"],
            ["n", "2"],
          ],
          "2",
        ],
      );
    };
    return [rule, run] as const;
  });
  return Object.fromEntries(entries);
}
