import { equal, present } from "../check.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { countsAgree, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { refused } from "./fixture.ts";

const item = { input: undefined, typeName: undefined } as const;

/** Calls that are refused, each inside a transaction that continues. */
const refusals: Readonly<Record<string, (fixture: StateFixture, tx: unknown) => Promise<unknown>>> = {
  "a start with an id that is taken": async (fixture, tx) => {
    const { id } = await fixture.startOne(job("a"), tx);
    const [reply] = await fixture.store.start([{ starts: [job("a", { id })] }], fixture.options(tx));
    return refused("refused", present("a reply", reply));
  },
  "a start with a blocker that does not exist": async (fixture, tx) => {
    const start = job("a", { blockers: [blockedBy(newId())] });
    const [reply] = await fixture.store.start([{ starts: [start] }], fixture.options(tx));
    return refused("refused", present("a reply", reply));
  },
  "an outcome of an attempt that is lost": async (fixture, tx) => {
    const { id } = await fixture.startOne(job("a"), tx);
    equal("lost", (await fixture.settle(completed({ jobId: id, workerId: "w", fence: 1 }), tx)).status, "lost");
  },
  "a continuation with an id that is taken": async (fixture, tx) => {
    const chain = await fixture.startOne(job("a"), tx);
    const reply = await fixture.settle(continued({ chainId: chain.id, typeName: "a" }, job("b", { id: chain.id })), tx);
    equal("refused", reply.status, "refused");
  },
  "an outcome for a chain that does not exist": async (fixture, tx) => {
    equal("refused", (await fixture.settle(completed({ chainId: newId(), typeName: "a" }), tx)).status, "refused");
  },
  "a trigger of a job that does not exist": async (fixture, tx) =>
    refused("refused", await fixture.store.trigger([newId()], fixture.options(tx))),
  "a cancellation of a chain that does not exist": async (fixture, tx) =>
    refused("refused", await fixture.store.cancel([{ chainId: newId(), reason: undefined }], fixture.options(tx))),
  "a retry of a chain that is active": async (fixture, tx) => {
    const { id } = await fixture.startOne(job("a"), tx);
    return refused("refused", await fixture.store.retry([{ chainId: id, ...item }], fixture.options(tx)));
  },
  "a deletion of a chain that another waits for": async (fixture, tx) => {
    const { id } = await fixture.startOne(job("a"), tx);
    await fixture.startOne(job("b", { blockers: [blockedBy(id)] }), tx);
    return refused("refused", await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options(tx)));
  },
};

const refusalCases = Object.fromEntries(
  Object.entries(refusals).map(([what, run]) => [
    `continues after ${what}, and keeps what it wrote before`,
    async (fixture: StateFixture) => {
      const before = job("before");
      const after = job("after");
      await fixture.transact(async (tx) => {
        await fixture.startOne(before, tx);
        await run(fixture, tx);
        await fixture.startOne(after, tx);
      });
      equal("both are there", await statuses(fixture, [before.id, after.id]), ["active", "active"]);
      await countsAgree(fixture);
    },
  ]),
);

export const transactionRefusalCases = rules("transaction", refusalCases);
