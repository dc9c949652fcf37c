import { blockerFailureErrors } from "chainwright/adapter";
import { equal, match, only, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

type BadEnd = "failed" | "cancelled";

/** A chain of this type that has ended badly. */
async function broken(fixture: StateFixture, typeName: string, status: BadEnd): Promise<string> {
  const { id } = await fixture.startOne(job(typeName));
  await end(fixture, id, typeName, status);
  return id;
}

async function end(fixture: StateFixture, chainId: string, typeName: string, status: BadEnd) {
  if (status === "failed") return fixture.settled(failed({ chainId, typeName }));
  return only(
    "one cancelled chain",
    accepted("cancelled", await fixture.store.cancel([{ chainId, reason: undefined }], fixture.options())),
  );
}

/** Cases of a job that waits while its blocker ends. */
const waitingCases = (status: BadEnd) =>
  [
    [
      `a dependent fails with its blocker when that is ${status}, and its errors name the reason`,
      async (fixture: StateFixture) => {
        const { id } = await fixture.startOne(job("x"));
        const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(id)] }));
        fixture.advance(5);
        const consequences = await end(fixture, id, "x", status);
        match("consequences", consequences, {
          unblocked: [],
          reblocked: [],
          failed: [{ jobId: waiting.id, chainId: waiting.id, typeName: "a" }],
        });
        const errors = blockerFailureErrors({ chainId: id, typeName: "x", status, at: fixture.now() });
        match("its chain", await fixture.chain(waiting.id), {
          status: "failed",
          errors,
          endedAt: fixture.now(),
          output: undefined,
        });
        match("its job", await fixture.job(waiting.id), {
          status: "failed",
          errors,
          attempt: 0,
          endedAt: fixture.now(),
        });
        equal("not claimable", await fixture.claim(["a"]), []);
        await countsAgree(fixture);
      },
    ],
    [
      `a dependent with "wait" stays blocked when its blocker is ${status}`,
      async (fixture: StateFixture) => {
        const { id } = await fixture.startOne(job("x"));
        const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(id)], onBlockerFailure: "wait" }));
        const consequences = await end(fixture, id, "x", status);
        match("consequences", consequences, { unblocked: [], failed: [] });
        match("blocked", await fixture.job(waiting.id), { status: "blocked", blockersLeft: 1 });
        match("active", await fixture.chain(waiting.id), { status: "active" });
      },
    ],
  ] as const;

/** Cases of a start whose blocker has ended before. */
const startedCases = (status: BadEnd) =>
  [
    [
      `a start whose blocker is ${status} already is written as failed, not refused`,
      async (fixture: StateFixture) => {
        const id = await broken(fixture, "x", status);
        const chain = await fixture.startOne(job("a", { blockers: [blockedBy(id)] }));
        match("the started chain", chain, { status: "failed", deduplicated: false });
        equal("its job", only("one job", chain.jobs), {
          jobId: chain.id,
          chainId: chain.id,
          typeName: "a",
          status: "failed",
          dueInMs: undefined,
        });
        const errors = blockerFailureErrors({ chainId: id, typeName: "x", status, at: fixture.now() });
        match("the record", await fixture.chain(chain.id), { status: "failed", errors, endedAt: fixture.now() });
        equal("not claimable", await fixture.claim(["a"]), []);
        await countsAgree(fixture);
      },
    ],
    [
      `a start with "wait" whose blocker is ${status} already is blocked`,
      async (fixture: StateFixture) => {
        const id = await broken(fixture, "x", status);
        const chain = await fixture.startOne(job("a", { blockers: [blockedBy(id)], onBlockerFailure: "wait" }));
        match("its job", only("one job", chain.jobs), { status: "blocked" });
        match("the record", await fixture.chain(chain.id), { status: "active" });
      },
    ],
  ] as const;

const eitherWay = Object.fromEntries(
  (["failed", "cancelled"] as const).flatMap((status) => [...waitingCases(status), ...startedCases(status)]),
);

export const blockerEitherWayCases = rules("blocker failure", eitherWay);

export const blockerFailureCases = rules("blocker failure", {
  "fails dependents level by level, each reported once, except those that wait for a retry": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const left = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const right = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const both = await fixture.startOne(job("b", { blockers: [blockedBy(left.id), blockedBy(right.id)] }));
    const patient = await fixture.startOne(job("c", { blockers: [blockedBy(both.id)], onBlockerFailure: "wait" }));
    const behind = await fixture.startOne(job("d", { blockers: [blockedBy(patient.id)] }));
    const settled = await fixture.settled(failed((await fixture.claimOne("x")).fence));
    sameMembers(
      "failed, each once",
      settled.failed.map(({ chainId }) => chainId),
      [left.id, right.id, both.id],
    );
    equal("statuses", await statuses(fixture, [root.id, left.id, right.id, both.id, patient.id, behind.id]), [
      "failed",
      "failed",
      "failed",
      "failed",
      "active",
      "active",
    ]);
    await countsAgree(fixture);
  },

  "names the direct blocker, not the first chain that failed": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const child = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const grandchild = await fixture.startOne(job("b", { blockers: [blockedBy(child.id)] }));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const errors = blockerFailureErrors({ chainId: child.id, typeName: "a", status: "failed", at: fixture.now() });
    equal("errors", (await fixture.chain(grandchild.id)).errors, errors);
  },

  "fails dependents through twenty levels": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const ids = [root.id];
    for (let level = 0; level < 20; level += 1) {
      ids.push((await fixture.startOne(job("a", { blockers: [blockedBy(ids.at(-1) ?? "")] }))).id);
    }
    const settled = await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    equal("all are reported", settled.failed.length, 20);
    equal(
      "all failed",
      await statuses(fixture, ids),
      ids.map(() => "failed"),
    );
  },

  "fails a dependent whose other blockers are open, and their ends change nothing later": async (fixture) => {
    const [bad, good] = await fixture.start([job("x"), job("y")]);
    const waiting = await fixture.startOne(
      job("a", { blockers: [blockedBy(good?.id ?? ""), blockedBy(bad?.id ?? "")] }),
    );
    await fixture.settled(failed({ chainId: bad?.id ?? "", typeName: "x" }));
    match("failed", await fixture.chain(waiting.id), { status: "failed" });
    const settled = await fixture.settled(completed({ chainId: good?.id ?? "", typeName: "y" }));
    match("no consequence", settled, { unblocked: [], failed: [] });
    match("failed", await fixture.chain(waiting.id), { status: "failed" });
  },

  "fails a dependent once when two of its blockers fail in one batch": async (fixture) => {
    const inline = [job("x"), job("x")];
    const waiting = await fixture.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    const held = await fixture.claim(["x"]);
    const replies = await fixture.store.settle(
      held.map(({ fence }) => failed(fence)),
      fixture.options(),
    );
    const reported = replies.flatMap((reply) => (reply.status === "settled" ? reply.failed : []));
    equal("reported once", only("one", reported).jobId, waiting.id);
    await countsAgree(fixture);
  },

  "fails a chain at a later step that is blocked": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    const chain = await fixture.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(bad.id)] });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    const settled = await fixture.settled(failed({ chainId: bad.id, typeName: "x" }));
    equal("reported", settled.failed, [{ jobId: next.id, chainId: chain.id, typeName: "b" }]);
    match("the chain", await fixture.chain(chain.id), { status: "failed", typeName: "a" });
    match("the step", await fixture.job(next.id), { status: "failed" });
  },

  "a scheduled and blocked job that failed never becomes due": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(bad.id)], schedule: { afterMs: 10 } }));
    await fixture.settled(failed({ chainId: bad.id, typeName: "x" }));
    fixture.advance(1_000);
    equal("not claimed", await fixture.claim(["a"]), []);
    match("failed", await fixture.chain(waiting.id), { status: "failed" });
  },

  "a start whose second blocker failed is written as failed, and its inline blockers still start": async (fixture) => {
    const bad = await broken(fixture, "x", "failed");
    const inline = job("y");
    const chain = await fixture.startOne(job("a", { blockers: [{ start: inline }, blockedBy(bad)] }));
    match("failed", chain, { status: "failed" });
    equal("the blocker runs", await statuses(fixture, [inline.id]), ["active"]);
    const settled = await fixture.settled(completed((await fixture.claimOne("y")).fence));
    equal("no consequence", settled.unblocked, []);
  },

  "an inline blocker that fails at once fails the job that starts it": async (fixture) => {
    const bad = await broken(fixture, "x", "failed");
    const inline = job("y", { blockers: [blockedBy(bad)] });
    const chain = await fixture.startOne(job("a", { blockers: [{ start: inline }] }));
    match("failed", chain, { status: "failed" });
    equal("both", await statuses(fixture, [inline.id, chain.id]), ["failed", "failed"]);
    await countsAgree(fixture);
  },
});
