import { equal, match, rejected } from "../check.ts";
import { completed, deferred, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { everything } from "./listing.ts";
import { accepted, refused } from "./stage.ts";
import type { Stage } from "./stage.ts";

function trigger(stage: Stage, ids: readonly string[], tx?: unknown) {
  return stage.store.trigger(ids, stage.options(tx));
}

const later = { afterMs: 1_000_000 } as const;

export const triggerCases = rules("trigger", {
  "makes scheduled jobs ready, and tells them in the order of the request": async (stage) => {
    const chains = await stage.start([job("a", { schedule: later }), job("b", { schedule: later })]);
    const [one = "", two = ""] = chains.map(({ id }) => id);
    equal("told", accepted("accepted", await trigger(stage, [two, one])), [
      { jobId: two, chainId: two, typeName: "b" },
      { jobId: one, chainId: one, typeName: "a" },
    ]);
    match("the job", await stage.job(two), { status: "ready", scheduledAt: undefined });
    equal(
      "claimed",
      (await stage.claim(["a", "b"])).map(({ id }) => id),
      [one, two],
    );
  },

  "a triggered job has waited since then": async (stage) => {
    const chain = await stage.startOne(job("a", { schedule: later }));
    stage.advance(500);
    accepted("accepted", await trigger(stage, [chain.id]));
    stage.advance(30);
    equal("waited", (await stage.claimOne("a")).waitedMs, 30);
  },

  "a triggered job keeps its place and its attempts": async (stage) => {
    const [first] = await stage.start([job("a"), job("a")]);
    const [held] = await stage.claim(["a"], { limit: 1 });
    if (held === undefined) throw new Error("one is claimed");
    await stage.settled(deferred(held.fence, { schedule: later, errors: "[1]" }));
    accepted("accepted", await trigger(stage, [held.id]));
    const [again] = await stage.claim(["a"], { limit: 1 });
    match("first again, second attempt", again, { id: first?.id, attempt: 2, errors: "[1]" });
  },

  "a later step can be triggered by its own id": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const next = job("b", { schedule: later });
    await stage.settled({ target: { chainId: chain.id, typeName: "a" }, kind: "continued", next });
    equal("told", accepted("accepted", await trigger(stage, [next.id])), [
      { jobId: next.id, chainId: chain.id, typeName: "b" },
    ]);
    match("claimed", await stage.claimOne("b"), { id: next.id });
  },

  "refuses all when one is refused, and writes nothing": async (stage) => {
    const scheduled = await stage.startOne(job("a", { schedule: later }));
    const ready = await stage.startOne(job("b"));
    const running = await stage.startOne(job("c"));
    await stage.claimOne("c");
    const blocked = await stage.startOne(job("d", { blockers: [{ start: job("x") }], schedule: later }));
    const done = await stage.completedChain(job("e"));
    const missing = newId();
    const refusals = [
      [missing, { code: "job-not-found", id: missing }],
      [ready.id, { code: "job-not-scheduled", id: ready.id, actual: "ready" }],
      [running.id, { code: "job-not-scheduled", id: running.id, actual: "running" }],
      [blocked.id, { code: "job-not-scheduled", id: blocked.id, actual: "blocked" }],
      [done.id, { code: "job-not-scheduled", id: done.id, actual: "completed" }],
    ] as const;
    const before = await everything(stage);
    for (const [id, refusal] of refusals) {
      equal("refusal", refused("refused", await trigger(stage, [scheduled.id, id])), refusal);
      equal("nothing is written", await everything(stage), before);
    }
    accepted("alone it is accepted", await trigger(stage, [scheduled.id]));
  },

  "triggers nothing when asked for nothing": async (stage) => {
    equal("nothing", accepted("accepted", await trigger(stage, [])), []);
  },

  "in a transaction that rolls back it did not happen": async (stage) => {
    const chain = await stage.startOne(job("a", { schedule: later }));
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        accepted("accepted", await trigger(stage, [chain.id], tx));
        throw new Error("undo");
      }),
    );
    match("scheduled", await stage.job(chain.id), { status: "scheduled", scheduledAt: stage.now() + later.afterMs });
    equal("not claimed", await stage.claim(["a"]), []);
    stage.advance(later.afterMs);
    await stage.settled(completed((await stage.claimOne("a")).fence));
  },
});
