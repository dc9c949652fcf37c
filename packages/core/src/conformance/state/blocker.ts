import { equal, match, only, present, sameMembers } from "../check.ts";
import { blockedBy, completed, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { refused } from "./stage.ts";

export const blockerCases = rules("blocker", {
  "a job blocked by an active chain waits until that completes": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    equal("its job", only("one job", waiting.jobs), {
      jobId: waiting.id,
      chainId: waiting.id,
      typeName: "a",
      status: "blocked",
      dueInMs: undefined,
    });
    match("blocked", await stage.job(waiting.id), { status: "blocked", blockersLeft: 1 });
    equal("not claimed", await stage.claim(["a"]), []);
    const held = await stage.claimOne("x");
    const { unblocked } = await stage.settled(completed(held.fence));
    equal("told", unblocked, [
      { jobId: waiting.id, chainId: waiting.id, typeName: "a", status: "ready", dueInMs: undefined },
    ]);
    match("ready", await stage.job(waiting.id), { status: "ready", blockersLeft: 0 });
    match("claimed", await stage.claimOne("a"), { id: waiting.id });
  },

  "blockers written inline are begun with the job, in the same statement": async (stage) => {
    const inline = job("x", { input: "7" });
    const start = job("a", { blockers: [{ start: inline }] });
    const chain = await stage.startOne(start);
    sameMembers(
      "jobs written",
      chain.jobs.map((written) => `${written.typeName} ${written.status}`),
      ["a blocked", "x ready"],
    );
    match("the blocker is a chain", await stage.chain(inline.id), { status: "active", input: "7" });
    await stage.settled(completed((await stage.claimOne("x")).fence, '"seven"'));
    match("it sees it", only("one blocker", (await stage.claimOne("a")).blockers), {
      chainId: inline.id,
      output: '"seven"',
    });
  },

  "refuses a blocker that does not exist": async (stage) => {
    const missing = newId();
    const [reply] = await stage.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(missing)] })] }],
      stage.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: missing });
  },

  "a failed blocker fails the jobs that wait for it, and on through their dependents": async (stage) => {
    const root = await stage.startOne(job("x"));
    const child = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const grandchild = await stage.startOne(job("b", { blockers: [blockedBy(child.id)] }));
    const held = await stage.claimOne("x");
    const settled = await stage.settled(failed(held.fence));
    sameMembers(
      "told, each once",
      settled.failed.map((ref) => ref.jobId),
      [child.id, grandchild.id],
    );
    for (const id of [child.id, grandchild.id]) {
      match("failed", await stage.chain(id), { status: "failed", endedAt: stage.now() });
    }
  },
});
