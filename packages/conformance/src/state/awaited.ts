import { equal, match, present } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rulesWith } from "./group.ts";
import { accepted } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";
import { many, step, waitingFor } from "./releasing.ts";

/** Notes chains. Returns the status of each, and whether it is noted. */
async function note(fixture: StateFixture, ...ids: readonly string[]): Promise<readonly string[]> {
  const reply = present("the store notes awaited chains", await fixture.store.noteAwaited?.(ids, fixture.options()));
  return reply.map(({ chain, isNoted }) => `${chain?.status ?? "missing"}, ${isNoted ? "noted" : "not noted"}`);
}

const noted = ["active, noted"];

export const awaitedCases = rulesWith("awaited chains", "awaited", {
  "the end of a noted chain is reported, and that of no other chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.startOne(job("a"));
    equal("noted", await note(fixture, chain.id), noted);
    const held = await fixture.claim(["a"]);
    const outcomes = held.map(({ fence }) => completed(fence, "1"));
    const { settled } = await fixture.store.exchange({ outcomes, claim: undefined }, fixture.options());
    const reported = settled.flatMap((reply) => (reply.status === "settled" ? (reply.awaited ?? []) : []));
    equal("reported", reported, [chain.id]);
  },

  "a chain can be noted again, and an ended or missing one is not noted": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    equal("noted", await note(fixture, chain.id), noted);
    equal("noted again", await note(fixture, chain.id), noted);
    const { fence } = await fixture.claimOne("a");
    equal("while it runs", await note(fixture, chain.id), noted);
    match("reported", await fixture.settled(completed(fence, "1")), { awaited: [chain.id] });
    equal("ended", await note(fixture, chain.id, job("a").id), ["completed, not noted", "missing, not noted"]);
  },

  "a note is kept by later steps of the chain": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await note(fixture, chain.id);
    const continuation = await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    equal("a continuation", continuation.awaited ?? [], []);
    match("the end", await fixture.settled(completed((await fixture.claimOne("b")).fence)), { awaited: [chain.id] });
  },

  "the end is reported where a blocker fails the chain": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const direct = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const indirect = await fixture.startOne(job("b", { blockers: [blockedBy(direct.id)] }));
    const other = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await note(fixture, indirect.id, other.id);
    const { awaited } = await fixture.settled(failed((await fixture.claimOne("x")).fence));
    equal("reported", [...(awaited ?? [])].sort(), [indirect.id, other.id].sort());
  },

  "the end is reported by the exchange that carries on a release": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const dependents = waitingFor(blocker.id, many);
    await fixture.start(dependents);
    const ids = dependents.map(({ id }) => id).sort();
    await note(fixture, ...ids);
    const reported = [...((await fixture.settled(failed((await fixture.claimOne("x")).fence))).awaited ?? [])];
    for (let releasing = true; releasing;) {
      const { released } = await fixture.insist(() => step(fixture));
      reported.push(...(released.awaited ?? []));
      releasing = released.releasing;
    }
    equal("reported, each once", reported.sort(), ids);
  },

  "the end is reported where the chain is cancelled": async (fixture) => {
    const chains = await fixture.start([job("a"), job("a")]);
    const [, second] = chains;
    await note(fixture, present("two chains", second).id);
    const items = chains.map(({ id }) => ({ chainId: id, reason: undefined }));
    const replies = accepted("cancelled", await fixture.store.cancel(items, fixture.options()));
    const reported = replies.map(({ awaited }) => awaited ?? []);
    equal("reported", reported, [[], [second?.id]]);
  },

  "the end is reported where a continuation fails as it is written, because its blocker has failed": async (
    fixture,
  ) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.settled(failed((await fixture.claimOne("x")).fence));
    const chain = await fixture.startOne(job("a"));
    await note(fixture, chain.id);
    const { fence } = await fixture.claimOne("a");
    const { started, awaited } = await fixture.settled(
      continued(fence, job("b", { blockers: [blockedBy(blocker.id)] })),
    );
    const statuses = started.map(({ status }) => status);
    equal("the continuation", statuses, ["failed"]);
    equal("reported", awaited, [chain.id]);
  },
});
