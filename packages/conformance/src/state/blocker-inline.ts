import { equal, match, only, present, sameMembers } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";
import { statuses } from "./listing.ts";

export const inlineBlockerCases = rules("blocker", {
  "blockers written inline start with the job, in the same statement": async (fixture) => {
    const inline = job("x", { input: "7" });
    const start = job("a", { blockers: [{ start: inline }] });
    const chain = await fixture.startOne(start);
    sameMembers(
      "jobs written",
      chain.jobs.map((written) => `${written.typeName} ${written.status}`),
      ["a blocked", "x ready"],
    );
    match("the blocker is a chain", await fixture.chain(inline.id), { status: "active", input: "7" });
    await fixture.settled(completed((await fixture.claimOne("x")).fence, '"seven"'));
    match("it sees it", only("one blocker", (await fixture.claimOne("a")).blockers), {
      chainId: inline.id,
      output: '"seven"',
    });
  },

  "inline blockers have inline blockers, four levels deep": async (fixture) => {
    const deepest = job("d");
    const chain = await fixture.startOne(
      job("a", {
        blockers: [{ start: job("b", { blockers: [{ start: job("c", { blockers: [{ start: deepest }] }) }] }) }],
      }),
    );
    equal("all written for it", chain.jobs.length, 4);
    equal("the first is its own", chain.jobs[0]?.jobId, chain.id);
    for (const typeName of ["d", "c", "b", "a"]) {
      const held = only("one can run", await fixture.claim(["a", "b", "c", "d"]));
      equal("from the bottom up", held.typeName, typeName);
      await fixture.settled(completed(held.fence));
    }
    equal("complete", await statuses(fixture, [chain.id]), ["completed"]);
  },

  "an inline blocker may be scheduled, prioritised and carry a context": async (fixture) => {
    const inline = job("x", { schedule: { afterMs: 100 }, priority: 5, context: "trace" });
    const chain = await fixture.startOne(job("a", { blockers: [{ start: inline }] }));
    match("in the reply", present("the blocker's job", chain.jobs[1]), { status: "scheduled", dueInMs: 100 });
    fixture.advance(100);
    match("claimed", await fixture.claimOne("x"), { priority: 5, context: "trace" });
  },
});
