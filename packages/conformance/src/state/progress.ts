import type { BlockerCounts } from "chainwright/adapter";
import { equal } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";

const counted = (fixture: StateFixture, of: "job" | "chain", id: string): Promise<BlockerCounts | undefined> =>
  fixture.store.countBlockers({ of, id }, fixture.options());

export const progressCases = rules("progress", {
  "counts the blockers of a waiting job, each chain once": async (fixture) => {
    const parts = await fixture.start(Array.from({ length: 5 }, () => job("x")));
    const [first, second, third] = parts.map(({ id }) => id);
    const blockers = [...parts.map(({ id }) => blockedBy(id)), blockedBy(first ?? "")];
    const { id } = await fixture.startOne(job("a", { blockers, onBlockerFailure: "wait" }));
    equal("at first", await counted(fixture, "job", id), { total: 5, completed: 0, failed: 0 });
    await fixture.settled(completed({ chainId: first ?? "", typeName: "x" }));
    await fixture.settled(failed({ chainId: second ?? "", typeName: "x" }));
    await fixture.insist(() => fixture.store.cancel([{ chainId: third ?? "", reason: "r" }], fixture.options()));
    const expected = { total: 5, completed: 1, failed: 2 };
    equal("by the job", await counted(fixture, "job", id), expected);
    equal("by the chain", await counted(fixture, "chain", id), expected);
  },

  "a blocker that had completed before counts as completed": async (fixture) => {
    const done = await fixture.completedChain(job("x"));
    const blockers = [blockedBy(done.id), { start: job("x") }];
    const { id } = await fixture.startOne(job("a", { blockers }));
    equal("one of two", await counted(fixture, "job", id), { total: 2, completed: 1, failed: 0 });
  },

  "a chain reports the blockers of its newest job": async (fixture) => {
    const chain = await fixture.startOne(job("a", { blockers: [{ start: job("x") }] }));
    const blocker = job("y");
    const next = job("b", { blockers: [{ start: blocker }, { start: job("y") }] });
    await fixture.settled(completed({ chainId: (await fixture.claimOne("x")).chainId, typeName: "x" }));
    equal("its first job waits no more", await counted(fixture, "chain", chain.id), undefined);
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    equal("the chain", await counted(fixture, "chain", chain.id), { total: 2, completed: 0, failed: 0 });
    equal("its first job", await counted(fixture, "job", chain.id), undefined);
    equal("its newest job", await counted(fixture, "job", next.id), { total: 2, completed: 0, failed: 0 });
    equal("a job that is no chain", await counted(fixture, "chain", next.id), undefined);
  },

  "a job that does not wait reports nothing": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    equal("ready", await counted(fixture, "job", id), undefined);
    equal("unknown", await counted(fixture, "job", newId()), undefined);
    equal("an unknown chain", await counted(fixture, "chain", newId()), undefined);
    const doomed = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(doomed.id)] }));
    await fixture.settled(failed({ chainId: doomed.id, typeName: "x" }));
    equal("failed with its blocker", await counted(fixture, "chain", waiting.id), undefined);
  },
});
