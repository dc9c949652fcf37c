import type { Heartbeat } from "chainwright/adapter";
import { equal, match, only } from "../../check.ts";
import { completed, job } from "../build.ts";
import { accepted, type StateFixture } from "../fixture.ts";
import { rules } from "../group.ts";
import { statuses } from "../listing.ts";
import { handIn, trip, undone } from "./sagas.ts";

const look = { deadlines: true } as const;
const alive: Heartbeat = { workerId: "w", name: "n", typeNames: [], concurrency: 1, holds: 0, aliveForMs: 1_000 };

async function hasDeadlines(fixture: StateFixture): Promise<boolean> {
  return (await fixture.store.heartbeat(alive, fixture.options())).deadlines === true;
}

export const deadlineCases = rules("ends", {
  "N6: an active chain is cancelled at its deadline, with the reason `deadline`": async (fixture) => {
    const { id } = await fixture.startOne(trip("one", { deadline: { afterMs: 1_000 } }));
    match("it shows the deadline", await fixture.chain(id), { deadlineAt: fixture.now() + 1_000 });
    fixture.advance(999);
    const before = await fixture.look(["x"], look);
    match("not yet", before, { nextDueInMs: 1 });
    equal("none expired", before.expired ?? [], []);
    fixture.advance(1);
    const { expired = [] } = await fixture.look(["x"], look);
    match("the reply names it", only("one", expired), { chainId: id, jobId: id, interrupted: undefined });
    match("the chain", await fixture.chain(id), { status: "cancelled", reason: "deadline", deadlineAt: undefined });
    equal("what follows", await undone(fixture), ["apologise"]);
    equal("no deadline is left", await hasDeadlines(fixture), false);
  },

  "N6: a claim that does not ask for deadlines leaves them alone": async (fixture) => {
    const { id } = await fixture.startOne(job("one", { deadline: { at: fixture.now() + 10 } }));
    fixture.advance(1_000);
    equal("none expired", (await fixture.look(["x"])).expired ?? [], []);
    equal("it is active", await statuses(fixture, [id]), ["active"]);
  },

  "N6: a heartbeat says whether a chain has a deadline": async (fixture) => {
    equal("none", await hasDeadlines(fixture), false);
    const { id } = await fixture.startOne(job("one", { deadline: { afterMs: 10 } }));
    equal("one", await hasDeadlines(fixture), true);
    await fixture.settled(completed({ chainId: id, typeName: "one" }));
    equal("none again", await hasDeadlines(fixture), false);
  },

  "N6: a chain that ends earlier is untouched": async (fixture) => {
    const { id } = await fixture.startOne(trip("one", { deadline: { afterMs: 10 } }));
    await fixture.settled(completed((await fixture.claimOne("one")).fence));
    fixture.advance(10);
    equal("none expired", (await fixture.look(["x"], look)).expired ?? [], []);
    equal("it has completed", await statuses(fixture, [id]), ["completed"]);
  },

  "N6: a deleted chain has no deadline": async (fixture) => {
    const { id } = await fixture.startOne(job("one", { deadline: { afterMs: 10 } }));
    accepted("deleted", await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options()));
    fixture.advance(10);
    equal("none expired", (await fixture.look(["x"], look)).expired ?? [], []);
    equal("none is left", await hasDeadlines(fixture), false);
  },

  "N6: a chain that is retried after its deadline goes on without it": async (fixture) => {
    const { id } = await fixture.startOne(job("one", { deadline: { afterMs: 10 } }));
    fixture.advance(10);
    await fixture.look(["x"], look);
    const items = [{ chainId: id, input: undefined, typeName: undefined }];
    accepted("retried", await fixture.store.retry(items, fixture.options()));
    await fixture.look(["x"], look);
    equal("it is active", await statuses(fixture, [id]), ["active"]);
  },

  "N6: the attempt that runs at the deadline is named, and what follows waits for it": async (fixture) => {
    await fixture.startOne(trip("one", { deadline: { afterMs: 10 } }));
    const held = await fixture.claimOne("one", { workerId: "w-5", leaseMs: 1_000 });
    fixture.advance(10);
    const { expired = [] } = await fixture.look(["x"], look);
    match("the worker", only("one", expired), { interrupted: "w-5" });
    equal("nothing begins", await fixture.claim(["apologise"]), []);
    await handIn(fixture, held);
    equal("then it does", await undone(fixture), ["apologise"]);
  },

  "N6: blockers that the chain started for itself end with it": async (fixture) => {
    const child = job("child");
    await fixture.startOne(job("one", { deadline: { afterMs: 10 }, blockers: [{ start: child }] }));
    fixture.advance(10);
    await fixture.look(["x"], look);
    match("the blocker", await fixture.chain(child.id), { status: "cancelled", reason: "deadline" });
  },

  "N6: many chains with one deadline all end, in some claims": async (fixture) => {
    const count = 250;
    await fixture.start(Array.from({ length: count }, () => job("one", { deadline: { afterMs: 10 } })));
    fixture.advance(10);
    let ended = 0;
    for (let looks = 0; looks < 20 && ended < count; looks += 1) {
      const { expired = [], nextDueInMs } = await fixture.look(["x"], look);
      ended += expired.length;
      if (ended < count) equal("more are due", nextDueInMs, 0);
    }
    equal("all", ended, count);
  },

  "N6: a deadline in a transaction that rolls back does not exist": async (fixture) => {
    await fixture.store
      .transaction(async (tx) => {
        await fixture.start([job("one", { deadline: { afterMs: 10 } })], tx);
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    equal("none", await hasDeadlines(fixture), false);
  },
});
