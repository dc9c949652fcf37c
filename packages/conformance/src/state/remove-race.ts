import { equal, only } from "../check.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { counts, countsAgree, jobs } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

const rounds = 20;

function remove(fixture: StateFixture, chainIds: readonly string[], cascade = false) {
  return fixture.store.remove({ chainIds, cascade }, fixture.options());
}

/** A chain in its second step, which runs. */
async function running(fixture: StateFixture) {
  const { id } = await fixture.startOne(job("a"));
  await fixture.settled(continued({ chainId: id, typeName: "a" }, job("b")));
  return { id, fence: (await fixture.claimOne("b")).fence };
}

async function nothingIsLeft(fixture: StateFixture): Promise<void> {
  equal("no job", await jobs(fixture), []);
  equal("nothing is counted", await counts(fixture), {});
  equal("nothing to claim", await fixture.claim(["a", "b", "c", "d"]), []);
}

export const removeRaceCases = rules("remove", {
  "two deletions while the chain continues leave nothing of it": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < rounds; round += 1) {
      const { id, fence } = await running(fixture);
      const moveOn = async () => {
        const { status } = await other.settle(continued(fence, job("c")));
        if (status === "settled") await other.settle(continued({ chainId: id, typeName: "c" }, job("d")));
      };
      const [removed] = await Promise.all([fixture.insist(() => remove(fixture, [id])), other.insist(moveOn)]);
      accepted("it is deleted", removed);
      await nothingIsLeft(fixture);
    }
  },

  "a deletion with cascade while a waiting chain continues leaves nothing of either": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < rounds; round += 1) {
      const { id, fence } = await running(fixture);
      const blocker = await fixture.startOne(job("a"));
      await fixture.settled(continued(fence, job("c", { blockers: [blockedBy(blocker.id)] })));
      const target = { chainId: blocker.id, typeName: "a" };
      const [removed] = await Promise.all([
        fixture.insist(() => remove(fixture, [blocker.id], true)),
        other.insist(() => other.settle(round % 2 === 0 ? failed(target) : completed(target))),
      ]);
      accepted("it is deleted", removed);
      // The cascade does not delete a chain that no longer waits when its blocker is deleted.
      await fixture.insist(() => remove(fixture, [id]));
      await nothingIsLeft(fixture);
    }
  },

  "a deletion while the chain ends, is cancelled or retried leaves nothing of it": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < rounds; round += 1) {
      const { id, fence } = await running(fixture);
      const change = async () => {
        if (round % 2 === 0) await other.settle(failed(fence));
        else await other.store.cancel([{ chainId: id, reason: undefined }], other.options());
        await other.store.retry([{ chainId: id, input: undefined, typeName: undefined }], other.options());
      };
      await Promise.all([fixture.insist(() => remove(fixture, [id])), other.insist(change)]);
      await countsAgree(fixture);
      await nothingIsLeft(fixture);
    }
  },

  "two deletions with cascade that share a dependent both succeed and leave nothing": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < rounds; round += 1) {
      const [one, two] = await fixture.start([job("a"), job("b")]);
      const [first, second] = [one?.id ?? "", two?.id ?? ""];
      await fixture.startOne(job("c", { blockers: [blockedBy(first), blockedBy(second)] }));
      const replies = await Promise.all([
        fixture.insist(() => remove(fixture, [first], true)),
        other.insist(() => remove(other, [second], true)),
      ]);
      for (const reply of replies) accepted("it is deleted", reply);
      await nothingIsLeft(fixture);
    }
  },

  "of a deletion and a start that names the chain at the same time exactly one succeeds": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 20; round += 1) {
      const blocker = await fixture.completedChain(job("x"), "1");
      const start = job("a", { blockers: [blockedBy(blocker.id)] });
      const [removed, [started]] = await Promise.all([
        fixture.insist(() => remove(fixture, [blocker.id])),
        other.insist(() => other.store.start([{ starts: [start] }], other.options())),
      ]);
      equal("one of the two", [removed.ok, started?.ok].filter(Boolean).length, 1);
      const claimed = await fixture.claim(["a"]);
      equal("runs if it was started", claimed.length, started?.ok === true ? 1 : 0);
      for (const held of claimed) {
        equal("and sees its blocker", only("one", held.blockers).output, "1");
        await fixture.settled(completed(held.fence));
      }
    }
  },
});
