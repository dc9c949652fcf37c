import { equal, match, only, rejected, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, everything, jobs, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted, refused } from "./fixture.ts";

interface Removal {
  readonly cascade?: true;
  readonly tx?: unknown;
}

function remove(fixture: StateFixture, chainIds: readonly string[], { cascade, tx }: Removal = {}) {
  return fixture.store.remove({ chainIds, cascade: cascade ?? false }, fixture.options(tx));
}

export const removeCases = rules("remove", {
  "deletes a chain with all of its jobs": async (fixture) => {
    const { id } = await fixture.startOne(job("a"));
    const next = job("b");
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    await fixture.settled(completed((await fixture.claimOne("b")).fence));
    equal("the reply", accepted("accepted", await remove(fixture, [id])), [
      { chainId: id, typeName: "a", interrupted: undefined },
    ]);
    equal("the chain", await fixture.store.getChains([id], fixture.options()), [undefined]);
    equal("its jobs", await fixture.store.getJobs([id, next.id], fixture.options()), [undefined, undefined]);
    equal("not listed", [await chains(fixture), await jobs(fixture)], [[], []]);
    equal("not counted", await counts(fixture), {});
  },

  "deletes an active chain, and none of its jobs runs any more": async (fixture) => {
    const ready = await fixture.startOne(job("a"));
    const scheduled = await fixture.startOne(job("a", { schedule: { afterMs: 5 } }));
    const blocked = await fixture.startOne(job("a", { blockers: [{ start: job("x") }] }));
    accepted("accepted", await remove(fixture, [ready.id, scheduled.id, blocked.id]));
    fixture.advance(1_000);
    equal("nothing to claim", await fixture.claim(["a"]), []);
    const settled = await fixture.settled(completed((await fixture.claimOne("x")).fence));
    equal("no job waits", settled.unblocked, []);
    await countsAgree(fixture);
  },

  "names the attempt that was running": async (fixture) => {
    const [ready, moved] = await fixture.start([job("a"), job("b")]);
    const next = job("c");
    await fixture.settled(continued({ chainId: moved?.id ?? "", typeName: "b" }, next));
    await fixture.claimOne("c", { workerId: "w" });
    const removed = accepted("accepted", await remove(fixture, [ready?.id ?? "", moved?.id ?? ""]));
    equal(
      "interrupted",
      removed.map(({ interrupted }) => interrupted),
      [undefined, { jobId: next.id, workerId: "w" }],
    );
  },

  "returns replies in the order of the request": async (fixture) => {
    const ids = (await fixture.start([job("a"), job("b"), job("c")])).map(({ id }) => id).toReversed();
    equal(
      "order",
      accepted("accepted", await remove(fixture, ids)).map(({ chainId }) => chainId),
      ids,
    );
    equal("nothing when asked for nothing", accepted("accepted", await remove(fixture, [])), []);
  },

  "refuses a chain that another one waits for, and names the other one": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const free = await fixture.startOne(job("b"));
    const before = await everything(fixture);
    equal("refusal", refused("refused", await remove(fixture, [free.id, blocker.id])), {
      code: "chain-referenced",
      id: blocker.id,
      references: [waiting.id],
    });
    equal("nothing is written", await everything(fixture), before);
  },

  "of several chains that others wait for, a refusal names one, and the chains blocked by that one only": async (
    fixture,
  ) => {
    const [first, second] = [await fixture.startOne(job("x")), await fixture.startOne(job("x"))];
    const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(first.id)] }));
    await fixture.startOne(job("a", { blockers: [blockedBy(second.id)] }));
    equal("refusal", refused("refused", await remove(fixture, [first.id, second.id])), {
      code: "chain-referenced",
      id: first.id,
      references: [waiting.id],
    });
  },

  "refuses a completed chain whose output a job has yet to see": async (fixture) => {
    const blocker = await fixture.completedChain(job("x"), "1");
    const open = job("y");
    const blocked = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: open }] }));
    const ready = await fixture.startOne(job("b", { blockers: [blockedBy(blocker.id)] }));
    const running = await fixture.startOne(job("c", { blockers: [blockedBy(blocker.id)] }));
    await fixture.claimOne("c");
    const refusal = refused("refused", await remove(fixture, [blocker.id]));
    equal("code", refusal.code, "chain-referenced");
    sameMembers("references", refusal.references ?? [], [blocked.id, ready.id, running.id]);
  },

  "refuses a chain that a failed or cancelled one would need for a retry": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const broken = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("references", refused("refused", await remove(fixture, [blocker.id])).references, [broken.id]);
  },

  "names a waiting chain by its first job's id, once": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const chain = await fixture.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(blocker.id), blockedBy(blocker.id)] });
    await fixture.settled(continued((await fixture.claimOne("a")).fence, next));
    equal("references", refused("refused", await remove(fixture, [blocker.id])).references, [chain.id]);
  },

  "names at most a hundred waiting chains": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    await fixture.start(Array.from({ length: 120 }, () => job("a", { blockers: [blockedBy(blocker.id)] })));
    const { references = [] } = refused("refused", await remove(fixture, [blocker.id]));
    equal("a hundred different ones", new Set(references).size, 100);
    equal("no more", references.length, 100);
  },

  "deletes a chain whose dependents' steps have completed": async (fixture) => {
    const blocker = await fixture.completedChain(job("x"), "1");
    const done = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const gone = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(completed({ chainId: done.id, typeName: "a" }, "2"));
    await fixture.settled(continued({ chainId: gone.id, typeName: "a" }, job("b")));
    accepted("accepted", await remove(fixture, [blocker.id]));
    match("the dependent stays", await fixture.chain(done.id), { status: "completed", output: "2" });
    equal("and continues", (await fixture.claimOne("b")).chainId, gone.id);
  },

  "deletes a chain together with the chains that wait for it, in either order": async (fixture) => {
    for (const turn of ["blocker first", "dependent first"]) {
      const blocker = await fixture.startOne(job("x"));
      const waiting = await fixture.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
      const ids = turn === "blocker first" ? [blocker.id, waiting.id] : [waiting.id, blocker.id];
      equal(
        turn,
        accepted("accepted", await remove(fixture, ids)).map(({ chainId }) => chainId),
        ids,
      );
      equal("both gone", await statuses(fixture, ids), [undefined, undefined]);
    }
    equal("nothing is left", await counts(fixture), {});
  },

  "with cascade deletes all direct and indirect dependents, and names them": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    const child = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const twin = await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const grandchild = await fixture.startOne(job("b", { blockers: [blockedBy(child.id), blockedBy(twin.id)] }));
    const other = await fixture.startOne(job("y"));
    await fixture.settled(failed({ chainId: root.id, typeName: "x" }));
    const deleted = accepted("accepted", await remove(fixture, [root.id], { cascade: true }));
    sameMembers(
      "each once",
      deleted.map(({ chainId, typeName }) => `${typeName} ${chainId}`),
      [`x ${root.id}`, `a ${child.id}`, `a ${twin.id}`, `b ${grandchild.id}`],
    );
    equal(
      "what stays",
      (await chains(fixture)).map(({ id }) => id),
      [other.id],
    );
    await countsAgree(fixture);
  },

  "with cascade keeps the blockers of a deleted chain": async (fixture) => {
    const blocker = job("x");
    const root = await fixture.startOne(job("a", { blockers: [{ start: blocker }] }));
    accepted("accepted", await remove(fixture, [root.id], { cascade: true }));
    equal("the blocker continues", (await fixture.claimOne("x")).id, blocker.id);
  },

  "refuses all when one chain does not exist, and writes nothing": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const missing = newId();
    for (const removal of [{}, { cascade: true }] as const) {
      equal("refusal", refused("refused", await remove(fixture, [chain.id, missing], removal)), {
        code: "chain-not-found",
        id: missing,
      });
    }
    equal("still there", await statuses(fixture, [chain.id]), ["active"]);
  },

  "the id of a deleted chain can be used again": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    accepted("accepted", await remove(fixture, [chain.id]));
    await fixture.startOne(job("b", { id: chain.id }));
    match("the new one", await fixture.chain(chain.id), { typeName: "b" });
    equal("one job", only("one", await fixture.claim(["a", "b"])).typeName, "b");
  },

  "has no effect in a transaction that rolls back": async (fixture) => {
    const root = await fixture.startOne(job("x"));
    await fixture.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const before = await everything(fixture);
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        accepted("accepted", await remove(fixture, [root.id], { cascade: true, tx }));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(fixture), before);
    equal("claimable", (await fixture.claim(["x"])).length, 1);
  },
});
