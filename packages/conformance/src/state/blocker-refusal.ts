import { equal, match, present } from "../check.ts";
import { blockedBy, job, newId } from "./build.ts";
import { accepted, refused } from "./fixture.ts";
import { rules } from "./group.ts";
import { chains } from "./listing.ts";

export const blockerRefusalCases = rules("blocker", {
  "refuses a blocker that does not exist": async (fixture) => {
    const missing = newId();
    const [reply] = await fixture.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(missing)] })] }],
      fixture.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: missing });
    equal("nothing is written", await chains(fixture), []);
  },

  "refuses a blocker that was deleted": async (fixture) => {
    const gone = await fixture.completedChain(job("x"));
    accepted("deleted", await fixture.store.remove({ chainIds: [gone.id], cascade: false }, fixture.options()));
    const [reply] = await fixture.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(gone.id)] })] }],
      fixture.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: gone.id });
  },

  "refuses the id of a later step as a blocker, because it is not a chain": async (fixture) => {
    const chain = await fixture.startOne(job("x"));
    const next = job("y");
    await fixture.settled({ target: { chainId: chain.id, typeName: "x" }, kind: "continued", next });
    const [reply] = await fixture.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(next.id)] })] }],
      fixture.options(),
    );
    match("refusal", refused("refused", present("a reply", reply)), { code: "chain-not-found", id: next.id });
  },

  "refuses a blocker of another entry type than the caller expects": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.settled({ target: { chainId: blocker.id, typeName: "x" }, kind: "continued", next: job("y") });
    const [reply] = await fixture.store.start(
      [{ starts: [job("a", { blockers: [blockedBy(blocker.id, "y")] })] }],
      fixture.options(),
    );
    equal("refusal", refused("refused", present("a reply", reply)), {
      code: "job-type-mismatch",
      id: blocker.id,
      actual: "x",
    });
    await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id, "x")] }));
  },
});
