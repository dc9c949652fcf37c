import type { Chore, MaintainReply } from "chainwright/adapter";
import { equal, holds } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";

function pass(stage: Stage, chore: Chore | undefined, limit: number): Promise<MaintainReply> {
  return stage.store.maintain({ chore, completedMs: 1, failedMs: 1, limit }, stage.options());
}

/** Passes until there is no more to do; returns how many there were. */
async function passes(stage: Stage, chore: Chore | undefined, limit: number): Promise<number> {
  for (let made = 1; made <= 50; made += 1) if (!(await pass(stage, chore, limit)).more) return made;
  throw new Error("fifty passes and no end");
}

const beat = (stage: Stage, workerId: string, aliveForMs: number) =>
  stage.store.heartbeat(
    { workerId, name: workerId, typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs },
    stage.options(),
  );

const keyed = (key: string) => job("a", { deduplication: { key, scope: "any", windowMs: 10 } });

export const choreCases = rules("upkeep", {
  "a pass of one chore leaves the others alone": async (stage) => {
    const { id } = await stage.completedChain(job("a"));
    stage.advance(1_000);
    for (const chore of ["windows", "workers", "tally"] as const) {
      equal(chore, await pass(stage, chore, 10), { removed: 0, more: false });
    }
    equal("still there", await statuses(stage, [id]), ["completed"]);
    equal("retention", await pass(stage, "retention", 10), { removed: 1, more: false });
  },

  "a pass frees no more windows than its limit, and reports that there are more": async (stage) => {
    const started = await stage.start(Array.from({ length: 7 }, (_, index) => keyed(`key-${index}`)));
    const held = await stage.startOne(job("a", { deduplication: { key: "held", scope: "any", windowMs: 100_000 } }));
    stage.advance(1_000);
    equal("passes", await passes(stage, "windows", 3), 3);
    for (const [index, { id }] of started.entries()) {
      const again = await stage.startOne(keyed(`key-${index}`));
      holds("another chain", again.id !== id && !again.deduplicated, again);
    }
    equal("what still holds", (await stage.startOne({ ...keyed("held"), id: job("a").id })).id, held.id);
  },

  "a pass forgets no more workers than its limit, and reports that there are more": async (stage) => {
    for (let index = 0; index < 7; index += 1) await beat(stage, `w-${index}`, 10);
    await beat(stage, "alive", 100_000);
    stage.advance(1_000);
    equal("passes", await passes(stage, "workers", 3), 3);
    const workers = await stage.store.listWorkers(stage.options());
    equal(
      "alive",
      workers.map(({ id }) => id),
      ["alive"],
    );
  },

  "a pass over all chores reports what any of them has left": async (stage) => {
    for (let index = 0; index < 5; index += 1) await beat(stage, `w-${index}`, 10);
    stage.advance(1_000);
    equal("more workers", await pass(stage, undefined, 2), { removed: 0, more: true });
    await passes(stage, undefined, 2);
    await stage.start(Array.from({ length: 5 }, (_, index) => keyed(`key-${index}`)));
    stage.advance(1_000);
    equal("more windows", await pass(stage, undefined, 2), { removed: 0, more: true });
    await passes(stage, undefined, 2);
    for (let index = 0; index < 5; index += 1) await stage.completedChain(job("b"));
    stage.advance(1_000);
    equal("more chains", await pass(stage, undefined, 2), { removed: 2, more: true });
  },

  "counts are right before, between and after passes, while jobs go on ending": async (stage) => {
    await stage.start(Array.from({ length: 120 }, () => job("a")));
    const held = [...(await stage.claim(["a"], { limit: 120 }))];
    const endSome = async (count: number) => {
      for (const { fence } of held.splice(0, count)) await stage.settled(completed(fence));
    };
    await endSome(45);
    for (let left = true; left;) {
      await countsAgree(stage);
      left = (await pass(stage, "tally", 1)).more;
      await endSome(3);
    }
    await countsAgree(stage);
    stage.advance(1_000);
    await passes(stage, undefined, 10);
    await countsAgree(stage);
    equal("chains that are left", (await chains(stage)).length, held.length);
  },

  "ends in a transaction that stays open hold up neither other ends nor upkeep, and are counted with its commit":
    async (stage) => {
      const other = await stage.connect();
      const othersWait = stage.store.insideTransaction !== undefined;
      await stage.start(Array.from({ length: 3 }, () => job("a")));
      const [first, second, third] = await stage.claim(["a"]);
      if (first === undefined || second === undefined || third === undefined) throw new Error("three are claimed");
      await stage.transact(async (tx) => {
        await stage.settled(completed(first.fence), tx);
        equal("inside", (await counts(stage, tx))["a completed"], 1);
        if (othersWait) return;
        await other.settled(completed(second.fence));
        await passes(other, "tally", 10);
        equal("outside", (await counts(other))["a completed"], 1);
      });
      if (othersWait) await other.settled(completed(second.fence));
      equal("after the commit", (await counts(stage))["a completed"], 2);
      await stage.settled(completed(third.fence));
      await passes(stage, "tally", 10);
      await countsAgree(stage);
    },
});
