import type { Chore, MaintainReply } from "chainwright/adapter";
import { equal, holds } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";

function pass(fixture: StateFixture, chore: Chore | undefined, limit: number): Promise<MaintainReply> {
  return fixture.store.maintain({ chore, completedMs: 1, failedMs: 1, limit }, fixture.options());
}

/** Runs passes until nothing is left to do. Returns the number of passes. */
async function passes(fixture: StateFixture, chore: Chore | undefined, limit: number): Promise<number> {
  for (let made = 1; made <= 50; made += 1) if (!(await pass(fixture, chore, limit)).more) return made;
  throw new Error("fifty passes and no end");
}

const beat = (fixture: StateFixture, workerId: string, aliveForMs: number) =>
  fixture.store.heartbeat(
    { workerId, name: workerId, typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs },
    fixture.options(),
  );

/** After two, no store remembers a worker that was lost. */
const day = 86_400_000;

const keyed = (key: string) => job("a", { deduplication: { key, scope: "any", windowMs: 10 } });

export const choreCases = rules("upkeep", {
  "a pass of one chore leaves the others alone": async (fixture) => {
    const { id } = await fixture.completedChain(job("a"));
    fixture.advance(1_000);
    for (const chore of ["windows", "workers", "tally"] as const) {
      equal(chore, await pass(fixture, chore, 10), { removed: 0, more: false });
    }
    equal("still there", await statuses(fixture, [id]), ["completed"]);
    equal("retention", await pass(fixture, "retention", 10), { removed: 1, more: false });
  },

  "a pass frees no more windows than its limit, and reports that there are more": async (fixture) => {
    const started = await fixture.start(Array.from({ length: 7 }, (_, index) => keyed(`key-${index}`)));
    const held = await fixture.startOne(job("a", { deduplication: { key: "held", scope: "any", windowMs: 100_000 } }));
    fixture.advance(1_000);
    equal("passes", await passes(fixture, "windows", 3), 3);
    for (const [index, { id }] of started.entries()) {
      const again = await fixture.startOne(keyed(`key-${index}`));
      holds("another chain", again.id !== id && !again.deduplicated, again);
    }
    equal("what still holds", (await fixture.startOne({ ...keyed("held"), id: job("a").id })).id, held.id);
  },

  "a pass forgets no more workers than its limit, and reports that there are more": async (fixture) => {
    for (let index = 0; index < 7; index += 1) await beat(fixture, `w-${index}`, 10);
    await beat(fixture, "alive", 3 * day);
    fixture.advance(2 * day);
    equal("passes", await passes(fixture, "workers", 3), 3);
    const workers = await fixture.store.listWorkers(fixture.options());
    equal(
      "alive",
      workers.map(({ id }) => id),
      ["alive"],
    );
  },

  "a pass over all chores reports what any of them has left": async (fixture) => {
    for (let index = 0; index < 5; index += 1) await beat(fixture, `w-${index}`, 10);
    fixture.advance(2 * day);
    equal("more workers", await pass(fixture, undefined, 2), { removed: 0, more: true });
    await passes(fixture, undefined, 2);
    await fixture.start(Array.from({ length: 5 }, (_, index) => keyed(`key-${index}`)));
    fixture.advance(1_000);
    equal("more windows", await pass(fixture, undefined, 2), { removed: 0, more: true });
    await passes(fixture, undefined, 2);
    for (let index = 0; index < 5; index += 1) await fixture.completedChain(job("b"));
    fixture.advance(1_000);
    equal("more chains", await pass(fixture, undefined, 2), { removed: 2, more: true });
  },

  "counts are right before, between and after passes, while more jobs end": async (fixture) => {
    await fixture.start(Array.from({ length: 120 }, () => job("a")));
    const held = [...(await fixture.claim(["a"], { limit: 120 }))];
    const endSome = async (count: number) => {
      for (const { fence } of held.splice(0, count)) await fixture.settled(completed(fence));
    };
    await endSome(45);
    for (let left = true; left;) {
      await countsAgree(fixture);
      left = (await pass(fixture, "tally", 1)).more;
      await endSome(3);
    }
    await countsAgree(fixture);
    fixture.advance(1_000);
    await passes(fixture, undefined, 10);
    await countsAgree(fixture);
    equal("chains that are left", (await chains(fixture)).length, held.length);
  },

  "ends in a transaction that stays open hold up neither other ends nor upkeep, and are counted with its commit":
    async (fixture) => {
      const other = await fixture.connect();
      const othersWait = fixture.store.insideTransaction !== undefined;
      await fixture.start(Array.from({ length: 3 }, () => job("a")));
      const [first, second, third] = await fixture.claim(["a"]);
      if (first === undefined || second === undefined || third === undefined) throw new Error("three are claimed");
      await fixture.transact(async (tx) => {
        await fixture.settled(completed(first.fence), tx);
        equal("inside", (await counts(fixture, tx))["a completed"], 1);
        if (othersWait) return;
        await other.settled(completed(second.fence));
        await passes(other, "tally", 10);
        equal("outside", (await counts(other))["a completed"], 1);
      });
      if (othersWait) await other.settled(completed(second.fence));
      equal("after the commit", (await counts(fixture))["a completed"], 2);
      await fixture.settled(completed(third.fence));
      await passes(fixture, "tally", 10);
      await countsAgree(fixture);
    },
});
