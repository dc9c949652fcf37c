import { blockerFailureErrors } from "chainwright/adapter";
import { equal, match, only, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted } from "./stage.ts";

/** A chain of this type that has ended badly. */
async function broken(stage: Stage, typeName: string, status: "failed" | "cancelled"): Promise<string> {
  const { id } = await stage.startOne(job(typeName));
  await end(stage, id, typeName, status);
  return id;
}

async function end(stage: Stage, chainId: string, typeName: string, status: "failed" | "cancelled") {
  if (status === "failed") return stage.settled(failed({ chainId, typeName }));
  return only(
    "one cancelled chain",
    accepted("cancelled", await stage.store.cancel([{ chainId, reason: undefined }], stage.options())),
  );
}

const badEnds = ["failed", "cancelled"] as const;

const eitherWay = Object.fromEntries(
  badEnds.flatMap((status) => [
    [
      `a dependent fails with its blocker when that is ${status}, and says why`,
      async (stage: Stage) => {
        const { id } = await stage.startOne(job("x"));
        const waiting = await stage.startOne(job("a", { blockers: [blockedBy(id)] }));
        stage.advance(5);
        const consequences = await end(stage, id, "x", status);
        match("told", consequences, {
          unblocked: [],
          reblocked: [],
          failed: [{ jobId: waiting.id, chainId: waiting.id, typeName: "a" }],
        });
        const errors = blockerFailureErrors({ chainId: id, typeName: "x", status, at: stage.now() });
        match("its chain", await stage.chain(waiting.id), {
          status: "failed",
          errors,
          endedAt: stage.now(),
          output: undefined,
        });
        match("its job", await stage.job(waiting.id), { status: "failed", errors, attempt: 0, endedAt: stage.now() });
        equal("not claimable", await stage.claim(["a"]), []);
        await countsAgree(stage);
      },
    ],
    [
      `a dependent with "wait" stays blocked when its blocker is ${status}`,
      async (stage: Stage) => {
        const { id } = await stage.startOne(job("x"));
        const waiting = await stage.startOne(job("a", { blockers: [blockedBy(id)], onBlockerFailure: "wait" }));
        const consequences = await end(stage, id, "x", status);
        match("told", consequences, { unblocked: [], failed: [] });
        match("blocked", await stage.job(waiting.id), { status: "blocked", blockersLeft: 1 });
        match("active", await stage.chain(waiting.id), { status: "active" });
      },
    ],
    [
      `a start whose blocker is ${status} already is written as failed, not refused`,
      async (stage: Stage) => {
        const id = await broken(stage, "x", status);
        const chain = await stage.startOne(job("a", { blockers: [blockedBy(id)] }));
        match("the started chain", chain, { status: "failed", deduplicated: false });
        equal("its job", only("one job", chain.jobs), {
          jobId: chain.id,
          chainId: chain.id,
          typeName: "a",
          status: "failed",
          dueInMs: undefined,
        });
        const errors = blockerFailureErrors({ chainId: id, typeName: "x", status, at: stage.now() });
        match("the record", await stage.chain(chain.id), { status: "failed", errors, endedAt: stage.now() });
        equal("not claimable", await stage.claim(["a"]), []);
        await countsAgree(stage);
      },
    ],
    [
      `a start with "wait" whose blocker is ${status} already is blocked`,
      async (stage: Stage) => {
        const id = await broken(stage, "x", status);
        const chain = await stage.startOne(job("a", { blockers: [blockedBy(id)], onBlockerFailure: "wait" }));
        match("its job", only("one job", chain.jobs), { status: "blocked" });
        match("the record", await stage.chain(chain.id), { status: "active" });
      },
    ],
  ]),
);

export const blockerEitherWayCases = rules("blocker failure", eitherWay);

export const blockerFailureCases = rules("blocker failure", {
  "fails dependents level by level, each told once, and leaves those who wait": async (stage) => {
    const root = await stage.startOne(job("x"));
    const left = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const right = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const both = await stage.startOne(job("b", { blockers: [blockedBy(left.id), blockedBy(right.id)] }));
    const patient = await stage.startOne(job("c", { blockers: [blockedBy(both.id)], onBlockerFailure: "wait" }));
    const behind = await stage.startOne(job("d", { blockers: [blockedBy(patient.id)] }));
    const settled = await stage.settled(failed((await stage.claimOne("x")).fence));
    sameMembers(
      "failed, each once",
      settled.failed.map(({ chainId }) => chainId),
      [left.id, right.id, both.id],
    );
    equal("statuses", await statuses(stage, [root.id, left.id, right.id, both.id, patient.id, behind.id]), [
      "failed",
      "failed",
      "failed",
      "failed",
      "active",
      "active",
    ]);
    await countsAgree(stage);
  },

  "names the blocker next to it, not the one where it began": async (stage) => {
    const root = await stage.startOne(job("x"));
    const child = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const grandchild = await stage.startOne(job("b", { blockers: [blockedBy(child.id)] }));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    const errors = blockerFailureErrors({ chainId: child.id, typeName: "a", status: "failed", at: stage.now() });
    equal("errors", (await stage.chain(grandchild.id)).errors, errors);
  },

  "goes down twenty levels": async (stage) => {
    const root = await stage.startOne(job("x"));
    const ids = [root.id];
    for (let level = 0; level < 20; level += 1) {
      ids.push((await stage.startOne(job("a", { blockers: [blockedBy(ids.at(-1) ?? "")] }))).id);
    }
    const settled = await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    equal("all told", settled.failed.length, 20);
    equal(
      "all failed",
      await statuses(stage, ids),
      ids.map(() => "failed"),
    );
  },

  "fails a dependent whose other blockers are open, and those ends change nothing any more": async (stage) => {
    const [bad, good] = await stage.start([job("x"), job("y")]);
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(good?.id ?? ""), blockedBy(bad?.id ?? "")] }));
    await stage.settled(failed({ chainId: bad?.id ?? "", typeName: "x" }));
    match("failed", await stage.chain(waiting.id), { status: "failed" });
    const settled = await stage.settled(completed({ chainId: good?.id ?? "", typeName: "y" }));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("failed", await stage.chain(waiting.id), { status: "failed" });
  },

  "fails a dependent once when two of its blockers fail in one batch": async (stage) => {
    const inline = [job("x"), job("x")];
    const waiting = await stage.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    const held = await stage.claim(["x"]);
    const replies = await stage.store.settle(
      held.map(({ fence }) => failed(fence)),
      stage.options(),
    );
    const told = replies.flatMap((reply) => (reply.status === "settled" ? reply.failed : []));
    equal("told once", only("one", told).jobId, waiting.id);
    await countsAgree(stage);
  },

  "fails a chain at a later step that is blocked": async (stage) => {
    const bad = await stage.startOne(job("x"));
    const chain = await stage.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    const settled = await stage.settled(failed({ chainId: bad.id, typeName: "x" }));
    equal("told", settled.failed, [{ jobId: next.id, chainId: chain.id, typeName: "b" }]);
    match("the chain", await stage.chain(chain.id), { status: "failed", typeName: "a" });
    match("the step", await stage.job(next.id), { status: "failed" });
  },

  "of a scheduled and blocked job: it never becomes due": async (stage) => {
    const bad = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(bad.id)], schedule: { afterMs: 10 } }));
    await stage.settled(failed({ chainId: bad.id, typeName: "x" }));
    stage.advance(1_000);
    equal("not claimed", await stage.claim(["a"]), []);
    match("failed", await stage.chain(waiting.id), { status: "failed" });
  },

  "a start whose second blocker failed is written as failed, its inline blockers are begun all the same": async (
    stage,
  ) => {
    const bad = await broken(stage, "x", "failed");
    const inline = job("y");
    const chain = await stage.startOne(job("a", { blockers: [{ start: inline }, blockedBy(bad)] }));
    match("failed", chain, { status: "failed" });
    equal("the blocker runs", await statuses(stage, [inline.id]), ["active"]);
    const settled = await stage.settled(completed((await stage.claimOne("y")).fence));
    equal("no consequence", settled.unblocked, []);
  },

  "an inline blocker that is failed at once fails the job that begins it": async (stage) => {
    const bad = await broken(stage, "x", "failed");
    const inline = job("y", { blockers: [blockedBy(bad)] });
    const chain = await stage.startOne(job("a", { blockers: [{ start: inline }] }));
    match("failed", chain, { status: "failed" });
    equal("both", await statuses(stage, [inline.id, chain.id]), ["failed", "failed"]);
    await countsAgree(stage);
  },
});
