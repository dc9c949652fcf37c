import { equal, match, rejected } from "../check.ts";
import { completed, deferred, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { everything } from "./listing.ts";
import { accepted, refused } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";

function trigger(fixture: StateFixture, ids: readonly string[], tx?: unknown) {
  return fixture.store.trigger(ids, fixture.options(tx));
}

const later = { afterMs: 1_000_000 } as const;

export const triggerCases = rules("trigger", {
  "makes scheduled jobs ready, and returns them in the order of the request": async (fixture) => {
    const chains = await fixture.start([job("a", { schedule: later }), job("b", { schedule: later })]);
    const [one = "", two = ""] = chains.map(({ id }) => id);
    equal("the reply", accepted("accepted", await trigger(fixture, [two, one])), [
      { jobId: two, chainId: two, typeName: "b" },
      { jobId: one, chainId: one, typeName: "a" },
    ]);
    match("the job", await fixture.job(two), { status: "ready", scheduledAt: undefined });
    equal(
      "claimed",
      (await fixture.claim(["a", "b"])).map(({ id }) => id),
      [one, two],
    );
  },

  "the waiting time of a triggered job begins with the trigger": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: later }));
    fixture.advance(500);
    accepted("accepted", await trigger(fixture, [chain.id]));
    fixture.advance(30);
    equal("waited", (await fixture.claimOne("a")).waitedMs, 30);
  },

  "a triggered job keeps its place and its attempts": async (fixture) => {
    const [first] = await fixture.start([job("a"), job("a")]);
    const [held] = await fixture.claim(["a"], { limit: 1 });
    if (held === undefined) throw new Error("one is claimed");
    await fixture.settled(deferred(held.fence, { schedule: later, errors: "[1]" }));
    accepted("accepted", await trigger(fixture, [held.id]));
    const [again] = await fixture.claim(["a"], { limit: 1 });
    match("first again, second attempt", again, { id: first?.id, attempt: 2, errors: "[1]" });
  },

  "a later step can be triggered by its own id": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const next = job("b", { schedule: later });
    await fixture.settled({ target: { chainId: chain.id, typeName: "a" }, kind: "continued", next });
    equal("the reply", accepted("accepted", await trigger(fixture, [next.id])), [
      { jobId: next.id, chainId: chain.id, typeName: "b" },
    ]);
    match("claimed", await fixture.claimOne("b"), { id: next.id });
  },

  "refuses the whole call when one item is refused, and writes nothing": async (fixture) => {
    const scheduled = await fixture.startOne(job("a", { schedule: later }));
    const ready = await fixture.startOne(job("b"));
    const running = await fixture.startOne(job("c"));
    await fixture.claimOne("c");
    const blocked = await fixture.startOne(job("d", { blockers: [{ start: job("x") }], schedule: later }));
    const done = await fixture.completedChain(job("e"));
    const missing = newId();
    const refusals = [
      [missing, { code: "job-not-found", id: missing }],
      [ready.id, { code: "job-not-scheduled", id: ready.id, actual: "ready" }],
      [running.id, { code: "job-not-scheduled", id: running.id, actual: "running" }],
      [blocked.id, { code: "job-not-scheduled", id: blocked.id, actual: "blocked" }],
      [done.id, { code: "job-not-scheduled", id: done.id, actual: "completed" }],
    ] as const;
    const before = await everything(fixture);
    for (const [id, refusal] of refusals) {
      equal("refusal", refused("refused", await trigger(fixture, [scheduled.id, id])), refusal);
      equal("nothing is written", await everything(fixture), before);
    }
    accepted("alone it is accepted", await trigger(fixture, [scheduled.id]));
  },

  "triggers nothing when asked for nothing": async (fixture) => {
    equal("nothing", accepted("accepted", await trigger(fixture, [])), []);
  },

  "has no effect in a transaction that rolls back": async (fixture) => {
    const chain = await fixture.startOne(job("a", { schedule: later }));
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        accepted("accepted", await trigger(fixture, [chain.id], tx));
        throw new Error("undo");
      }),
    );
    match("scheduled", await fixture.job(chain.id), {
      status: "scheduled",
      scheduledAt: fixture.now() + later.afterMs,
    });
    equal("not claimed", await fixture.claim(["a"]), []);
    fixture.advance(later.afterMs);
    await fixture.settled(completed((await fixture.claimOne("a")).fence));
  },
});
