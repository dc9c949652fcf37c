import { equal, match, only, rejected, sameMembers } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts, countsAgree, everything, jobs, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted, refused } from "./stage.ts";

interface Removal {
  readonly cascade?: true;
  readonly tx?: unknown;
}

function remove(stage: Stage, chainIds: readonly string[], { cascade, tx }: Removal = {}) {
  return stage.store.remove({ chainIds, cascade: cascade ?? false }, stage.options(tx));
}

export const removeCases = rules("remove", {
  "deletes a chain with all of its jobs": async (stage) => {
    const { id } = await stage.startOne(job("a"));
    const next = job("b");
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    await stage.settled(completed((await stage.claimOne("b")).fence));
    equal("told", accepted("accepted", await remove(stage, [id])), [
      { chainId: id, typeName: "a", interrupted: undefined },
    ]);
    equal("the chain", await stage.store.getChains([id], stage.options()), [undefined]);
    equal("its jobs", await stage.store.getJobs([id, next.id], stage.options()), [undefined, undefined]);
    equal("not listed", [await chains(stage), await jobs(stage)], [[], []]);
    equal("not counted", await counts(stage), {});
  },

  "deletes an active chain: nothing of it runs any more": async (stage) => {
    const ready = await stage.startOne(job("a"));
    const scheduled = await stage.startOne(job("a", { schedule: { afterMs: 5 } }));
    const blocked = await stage.startOne(job("a", { blockers: [{ start: job("x") }] }));
    accepted("accepted", await remove(stage, [ready.id, scheduled.id, blocked.id]));
    stage.advance(1_000);
    equal("nothing to claim", await stage.claim(["a"]), []);
    const settled = await stage.settled(completed((await stage.claimOne("x")).fence));
    equal("nobody waits", settled.unblocked, []);
    await countsAgree(stage);
  },

  "names the attempt that was under way": async (stage) => {
    const [ready, moved] = await stage.start([job("a"), job("b")]);
    const next = job("c");
    await stage.settled(continued({ chainId: moved?.id ?? "", typeName: "b" }, next));
    await stage.claimOne("c", { workerId: "w" });
    const removed = accepted("accepted", await remove(stage, [ready?.id ?? "", moved?.id ?? ""]));
    equal(
      "interrupted",
      removed.map(({ interrupted }) => interrupted),
      [undefined, { jobId: next.id, workerId: "w" }],
    );
  },

  "answers in the order of the request": async (stage) => {
    const ids = (await stage.start([job("a"), job("b"), job("c")])).map(({ id }) => id).toReversed();
    equal(
      "order",
      accepted("accepted", await remove(stage, ids)).map(({ chainId }) => chainId),
      ids,
    );
    equal("nothing when asked for nothing", accepted("accepted", await remove(stage, [])), []);
  },

  "refuses a chain that another one waits for, and names that": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const free = await stage.startOne(job("b"));
    const before = await everything(stage);
    equal("refusal", refused("refused", await remove(stage, [free.id, blocker.id])), {
      code: "chain-referenced",
      id: blocker.id,
      references: [waiting.id],
    });
    equal("nothing is written", await everything(stage), before);
  },

  "of several chains that others wait for, a refusal names one, and the chains blocked by that one only": async (
    stage,
  ) => {
    const [first, second] = [await stage.startOne(job("x")), await stage.startOne(job("x"))];
    const waiting = await stage.startOne(job("a", { blockers: [blockedBy(first.id)] }));
    await stage.startOne(job("a", { blockers: [blockedBy(second.id)] }));
    equal("refusal", refused("refused", await remove(stage, [first.id, second.id])), {
      code: "chain-referenced",
      id: first.id,
      references: [waiting.id],
    });
  },

  "refuses a completed chain whose output a job has yet to see": async (stage) => {
    const blocker = await stage.completedChain(job("x"), "1");
    const open = job("y");
    const blocked = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id), { start: open }] }));
    const ready = await stage.startOne(job("b", { blockers: [blockedBy(blocker.id)] }));
    const running = await stage.startOne(job("c", { blockers: [blockedBy(blocker.id)] }));
    await stage.claimOne("c");
    const refusal = refused("refused", await remove(stage, [blocker.id]));
    equal("code", refusal.code, "chain-referenced");
    sameMembers("references", refusal.references ?? [], [blocked.id, ready.id, running.id]);
  },

  "refuses a chain that a failed or cancelled one would need for a retry": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const broken = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    equal("references", refused("refused", await remove(stage, [blocker.id])).references, [broken.id]);
  },

  "names a waiting chain by its first job's id, once": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const chain = await stage.startOne(job("a"));
    const next = job("b", { blockers: [blockedBy(blocker.id), blockedBy(blocker.id)] });
    await stage.settled(continued((await stage.claimOne("a")).fence, next));
    equal("references", refused("refused", await remove(stage, [blocker.id])).references, [chain.id]);
  },

  "names at most a hundred of those who wait": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    await stage.start(Array.from({ length: 120 }, () => job("a", { blockers: [blockedBy(blocker.id)] })));
    const { references = [] } = refused("refused", await remove(stage, [blocker.id]));
    equal("a hundred different ones", new Set(references).size, 100);
    equal("no more", references.length, 100);
  },

  "takes a chain whose dependents' steps have completed": async (stage) => {
    const blocker = await stage.completedChain(job("x"), "1");
    const done = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    const gone = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
    await stage.settled(completed({ chainId: done.id, typeName: "a" }, "2"));
    await stage.settled(continued({ chainId: gone.id, typeName: "a" }, job("b")));
    accepted("accepted", await remove(stage, [blocker.id]));
    match("the dependent stays", await stage.chain(done.id), { status: "completed", output: "2" });
    equal("and goes on", (await stage.claimOne("b")).chainId, gone.id);
  },

  "takes a chain together with those who wait for it, in either order": async (stage) => {
    for (const turn of ["blocker first", "dependent first"]) {
      const blocker = await stage.startOne(job("x"));
      const waiting = await stage.startOne(job("a", { blockers: [blockedBy(blocker.id)] }));
      const ids = turn === "blocker first" ? [blocker.id, waiting.id] : [waiting.id, blocker.id];
      equal(
        turn,
        accepted("accepted", await remove(stage, ids)).map(({ chainId }) => chainId),
        ids,
      );
      equal("both gone", await statuses(stage, ids), [undefined, undefined]);
    }
    equal("nothing is left", await counts(stage), {});
  },

  "with cascade takes those who wait too, however far, and names all": async (stage) => {
    const root = await stage.startOne(job("x"));
    const child = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const twin = await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const grandchild = await stage.startOne(job("b", { blockers: [blockedBy(child.id), blockedBy(twin.id)] }));
    const other = await stage.startOne(job("y"));
    await stage.settled(failed({ chainId: root.id, typeName: "x" }));
    const told = accepted("accepted", await remove(stage, [root.id], { cascade: true }));
    sameMembers(
      "each once",
      told.map(({ chainId, typeName }) => `${typeName} ${chainId}`),
      [`x ${root.id}`, `a ${child.id}`, `a ${twin.id}`, `b ${grandchild.id}`],
    );
    equal(
      "what stays",
      (await chains(stage)).map(({ id }) => id),
      [other.id],
    );
    await countsAgree(stage);
  },

  "with cascade leaves what a deleted chain waited for": async (stage) => {
    const blocker = job("x");
    const root = await stage.startOne(job("a", { blockers: [{ start: blocker }] }));
    accepted("accepted", await remove(stage, [root.id], { cascade: true }));
    equal("the blocker goes on", (await stage.claimOne("x")).id, blocker.id);
  },

  "refuses all when one chain does not exist, and writes nothing": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const missing = newId();
    for (const removal of [{}, { cascade: true }] as const) {
      equal("refusal", refused("refused", await remove(stage, [chain.id, missing], removal)), {
        code: "chain-not-found",
        id: missing,
      });
    }
    equal("still there", await statuses(stage, [chain.id]), ["active"]);
  },

  "the id can be used again": async (stage) => {
    const chain = await stage.startOne(job("a"));
    accepted("accepted", await remove(stage, [chain.id]));
    await stage.startOne(job("b", { id: chain.id }));
    match("the new one", await stage.chain(chain.id), { typeName: "b" });
    equal("one job", only("one", await stage.claim(["a", "b"])).typeName, "b");
  },

  "in a transaction that rolls back it did not happen": async (stage) => {
    const root = await stage.startOne(job("x"));
    await stage.startOne(job("a", { blockers: [blockedBy(root.id)] }));
    const before = await everything(stage);
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        accepted("accepted", await remove(stage, [root.id], { cascade: true, tx }));
        throw new Error("undo");
      }),
    );
    equal("as it was", await everything(stage), before);
    equal("claimable", (await stage.claim(["x"])).length, 1);
  },
});
