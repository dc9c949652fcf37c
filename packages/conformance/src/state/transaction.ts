import type { JobStart } from "chainwright/adapter";
import { equal, holds, match, only, present, rejected, sameMembers } from "../check.ts";
import { createMeeting, settlesSoon } from "../meeting.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { rules } from "./group.ts";
import { chainQuery, chains, counts, countsAgree, everything, jobQuery, statuses } from "./listing.ts";
import type { Stage } from "./stage.ts";
import { accepted, refused } from "./stage.ts";

/** Runs in a transaction and rolls it back. */
async function undone(stage: Stage, run: (tx: unknown) => Promise<unknown>): Promise<void> {
  const undo = new Error("undo");
  const error = await rejected(
    "the transaction rejects",
    stage.store.transaction(async (tx) => {
      await run(tx);
      throw undo;
    }),
  );
  equal("with what its callback threw", error === undo, true);
}

const item = { input: undefined, typeName: undefined } as const;

/** Calls that refuse, each inside a transaction that goes on. */
const refusals: Readonly<Record<string, (stage: Stage, tx: unknown) => Promise<unknown>>> = {
  "a start with an id that is taken": async (stage, tx) => {
    const { id } = await stage.startOne(job("a"), tx);
    const [reply] = await stage.store.start([{ starts: [job("a", { id })] }], stage.options(tx));
    return refused("refused", present("a reply", reply));
  },
  "a start with a blocker that is not there": async (stage, tx) => {
    const start = job("a", { blockers: [blockedBy(newId())] });
    const [reply] = await stage.store.start([{ starts: [start] }], stage.options(tx));
    return refused("refused", present("a reply", reply));
  },
  "an outcome of an attempt that is lost": async (stage, tx) => {
    const { id } = await stage.startOne(job("a"), tx);
    equal("lost", (await stage.settle(completed({ jobId: id, workerId: "w", fence: 1 }), tx)).status, "lost");
  },
  "a continuation with an id that is taken": async (stage, tx) => {
    const chain = await stage.startOne(job("a"), tx);
    const reply = await stage.settle(continued({ chainId: chain.id, typeName: "a" }, job("b", { id: chain.id })), tx);
    equal("refused", reply.status, "refused");
  },
  "an outcome for a chain that is not there": async (stage, tx) => {
    equal("refused", (await stage.settle(completed({ chainId: newId(), typeName: "a" }), tx)).status, "refused");
  },
  "a trigger of a job that is not there": async (stage, tx) =>
    refused("refused", await stage.store.trigger([newId()], stage.options(tx))),
  "a cancellation of a chain that is not there": async (stage, tx) =>
    refused("refused", await stage.store.cancel([{ chainId: newId(), reason: undefined }], stage.options(tx))),
  "a retry of a chain that is active": async (stage, tx) => {
    const { id } = await stage.startOne(job("a"), tx);
    return refused("refused", await stage.store.retry([{ chainId: id, ...item }], stage.options(tx)));
  },
  "a deletion of a chain that another waits for": async (stage, tx) => {
    const { id } = await stage.startOne(job("a"), tx);
    await stage.startOne(job("b", { blockers: [blockedBy(id)] }), tx);
    return refused("refused", await stage.store.remove({ chainIds: [id], cascade: false }, stage.options(tx)));
  },
};

const refusalCases = Object.fromEntries(
  Object.entries(refusals).map(([what, run]) => [
    `goes on after ${what}, with what it wrote before`,
    async (stage: Stage) => {
      const before = job("before");
      const after = job("after");
      await stage.transact(async (tx) => {
        await stage.startOne(before, tx);
        await run(stage, tx);
        await stage.startOne(after, tx);
      });
      equal("both are there", await statuses(stage, [before.id, after.id]), ["active", "active"]);
      await countsAgree(stage);
    },
  ]),
);

export const transactionRefusalCases = rules("transaction", refusalCases);

export const transactionCases = rules("transaction", {
  "answers what its callback resolves with": async (stage) => {
    equal("value", await stage.store.transaction(() => Promise.resolve(42)), 42);
  },

  "commits what was written with its handle": async (stage) => {
    const chain = await stage.transact((tx) => stage.startOne(job("a"), tx));
    match("there", await stage.chain(chain.id), { status: "active" });
    match("claimed", await stage.claimOne("a"), { id: chain.id });
  },

  "rolls back when its callback rejects, and rejects with the same error": async (stage) => {
    const start = job("a", { deduplication: { key: "k", scope: "any", windowMs: undefined } });
    await undone(stage, (tx) => stage.startOne(start, tx));
    equal("not there", await stage.store.getChains([start.id], stage.options()), [undefined]);
    equal("not claimable", await stage.claim(["a"]), []);
    equal("not counted", await counts(stage), {});
    match("its key and its id are free", await stage.startOne(start), { id: start.id, deduplicated: false });
  },

  "rolls back for whatever its callback throws": async (stage) => {
    for (const thrown of [undefined, null, 0, "text", { code: "closed" }]) {
      const start = job("a");
      const error = await rejected(
        "rejects",
        stage.store.transaction(async (tx) => {
          await stage.startOne(start, tx);
          // oxlint-disable-next-line typescript/only-throw-error -- users throw such things
          throw thrown;
        }),
      );
      equal("the very value", error, thrown);
      equal("not there", await statuses(stage, [start.id]), [undefined]);
    }
  },

  "rolls back when its callback throws without a promise": async (stage) => {
    const mine = new Error("mine");
    const error = await rejected(
      "rejects",
      stage.store.transaction(() => {
        throw mine;
      }),
    );
    equal("the very error", error === mine, true);
    await stage.startOne(job("a"));
  },

  "undoes an outcome with all that followed from it": async (stage) => {
    const chain = await stage.startOne(job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } }));
    await stage.startOne(job("b", { blockers: [blockedBy(chain.id)] }));
    const patient = job("c", { blockers: [blockedBy(chain.id)], onBlockerFailure: "wait" });
    await stage.startOne(patient);
    const held = await stage.claimOne("a");
    const before = await everything(stage);
    for (const outcome of [
      completed(held.fence, "1"),
      failed(held.fence),
      continued(held.fence, job("n", { blockers: [{ start: job("x") }] })),
    ]) {
      await undone(stage, (tx) => stage.settled(outcome, tx));
      equal(`${outcome.kind} is undone`, await everything(stage), before);
      equal("nothing can run", await stage.claim(["b", "c", "n", "x"]), []);
      match("the key is held", await stage.startOne(job("a", { deduplication: keyOf("k") })), { id: chain.id });
    }
    await stage.settled(completed(held.fence, "1"));
    equal("settles later", (await stage.claim(["b", "c"])).length, 2);
  },

  "undoes a claim": async (stage) => {
    const chain = await stage.startOne(job("a"));
    await stage.startOne(job("b", { schedule: { afterMs: 10 } }));
    stage.advance(10);
    const before = await everything(stage);
    await undone(stage, async (tx) => {
      equal("claimed", (await stage.claim(["a", "b"], { tx })).length, 2);
    });
    equal("as it was", await everything(stage), before);
    match("the first attempt", await stage.claimOne("a"), { id: chain.id, attempt: 1 });
    match("the other too", await stage.claimOne("b"), { attempt: 1 });
  },

  "sees what it has written": async (stage) => {
    const waiting = job("w");
    await undone(stage, async (tx) => {
      const blocker = await stage.startOne(job("x"), tx);
      await stage.startOne({ ...waiting, blockers: [blockedBy(blocker.id)] }, tx);
      const options = stage.options(tx);
      match("the chain", (await stage.store.getChains([blocker.id], options))[0], { status: "active" });
      match("the job", (await stage.store.getJobs([waiting.id], options))[0], { status: "blocked" });
      equal("both chains", (await stage.store.listChains(chainQuery(), options)).length, 2);
      equal("both jobs", (await stage.store.listJobs(jobQuery(), options)).length, 2);
      const query = { jobId: waiting.id, afterPosition: undefined, limit: 10 };
      equal("its blocker", only("one", await stage.store.listBlockers(query, options)).chain.id, blocker.id);
      equal("counted", await counts(stage, tx), { "x ready": 1, "w blocked": 1 });
      equal("nobody ahead", await stage.store.countAhead(blocker.id, 10, options), 0);
      const held = await stage.claimOne("x", { tx });
      const { unblocked } = await stage.settled(completed(held.fence), tx);
      equal("frees its own", only("one", unblocked).jobId, waiting.id);
      accepted("cancels its own", await stage.store.cancel([{ chainId: waiting.id, reason: "r" }], options));
      accepted("retries its own", await stage.store.retry([{ chainId: waiting.id, ...item }], options));
      accepted(
        "deletes its own",
        await stage.store.remove({ chainIds: [waiting.id, blocker.id], cascade: false }, options),
      );
      equal("gone", await counts(stage, tx), {});
    });
    equal("nothing of it", await chains(stage), []);
  },

  "is seen by nobody before its commit": async (stage) => {
    const other = await stage.connect();
    const start = job("a");
    const undo = new Error("undo");
    // A store with one connection may let readers wait until the transaction has ended; then they see its end.
    let reads: Promise<readonly unknown[]> | undefined;
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await stage.startOne(start, tx);
        reads = Promise.all([
          statuses(stage, [start.id]),
          statuses(other, [start.id]),
          chains(other),
          other.insist(() => other.claim(["a"])),
          counts(other),
        ]);
        await settlesSoon(reads);
        throw undo;
      }),
    );
    equal("nothing was seen", await present("reads", reads), [[undefined], [undefined], [], [], {}]);
  },

  "is seen by everybody after its commit": async (stage) => {
    const other = await stage.connect();
    const start = job("a");
    await stage.transact((tx) => stage.startOne(start, tx));
    equal("seen", await statuses(other, [start.id]), ["active"]);
    match("claimed", await other.claimOne("a"), { id: start.id });
  },

  "does not see what another has not committed": async (stage) => {
    const other = await stage.connect();
    const start = job("a");
    const started = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const look = async () => {
      await started.promise;
      const seen = await other.transact((tx) => other.store.getChains([start.id], other.options(tx)));
      looked.resolve();
      equal("not seen", seen, [undefined]);
    };
    const write = stage.store.transaction(async (tx) => {
      await stage.startOne(start, tx);
      started.resolve();
      await settlesSoon(looked.promise);
      throw new Error("undo");
    });
    await Promise.all([rejected("rejects", write), look()]);
  },

  "fifty at the same time each commit their own": async (stage) => {
    const other = await stage.connect();
    const starts = Array.from({ length: 50 }, () => job("a"));
    await Promise.all(
      starts.map((start, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.transact(async (tx) => {
          await own.startOne(start, tx);
          if (index % 5 === 0) await own.store.getChains([start.id], own.options(tx));
        });
      }),
    );
    sameMembers(
      "all there",
      (await stage.claim(["a"])).map(({ id }) => id),
      starts.map(({ id }) => id),
    );
  },

  "one that fails leaves those at the same time": async (stage) => {
    const starts = Array.from({ length: 20 }, () => job("a"));
    const run = async (start: JobStart, index: number) => {
      try {
        await stage.transact(async (tx) => {
          await stage.startOne(start, tx);
          if (index % 2 === 1) throw new Error("undo");
        });
      } catch (error) {
        if (!(error instanceof Error) || error.message !== "undo") throw error;
      }
    };
    await Promise.all(starts.map((start, index) => run(start, index)));
    equal(
      "every second one",
      await statuses(
        stage,
        starts.map(({ id }) => id),
      ),
      starts.map((_, index) => (index % 2 === 0 ? "active" : undefined)),
    );
  },

  "two that settle one attempt: one settles, the other is told": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 3; round += 1) {
      const chain = await stage.startOne(job("a"));
      const { fence } = await stage.claimOne("a");
      const meet = createMeeting(2);
      const replies = await Promise.all(
        [stage, other].map((own, index) =>
          own.transact(async (tx) => {
            await own.store.getChains([], own.options(tx));
            await meet();
            return { index, reply: await own.settle(completed(fence, String(index)), tx) };
          }),
        ),
      );
      const winner = only(
        "one winner",
        replies.filter(({ reply }) => reply.status === "settled"),
      );
      equal("its output", (await stage.chain(chain.id)).output, String(winner.index));
      const loser = replies.find(({ index }) => index !== winner.index);
      equal("the other", loser?.reply, { status: "lost", reason: "completed-elsewhere" });
    }
  },

  "a worker keeps its claim while a transaction that a handler holds is open": async (stage) => {
    const other = await stage.connect();
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a", { leaseMs: 1_000 });
    let renewal: Promise<unknown> | undefined;
    await stage.transact(async (tx) => {
      await stage.startOne(job("b"), tx);
      stage.advance(900);
      renewal = other.insist(() =>
        other.store.renew(
          { workerId: "worker-1", held: [{ jobId: chain.id, fence: 1, leaseMs: 1_000 }] },
          other.options(),
        ),
      );
      await settlesSoon(renewal);
      await stage.settled(completed(held.fence, "1"), tx);
    });
    // Whether the renewal came before the settlement or after it, it must not have been lost to somebody else.
    const lost = await present("renewal", renewal);
    holds(
      "kept, or completed meanwhile",
      [JSON.stringify([]), JSON.stringify([{ fence: held.fence, reason: "completed-elsewhere" }])].includes(
        JSON.stringify(lost),
      ),
      lost,
    );
    match("the chain", await stage.chain(chain.id), { status: "completed", output: "1" });
  },

  "says of errors that are no lost race that they are none": (stage) => {
    for (const error of [new Error("x"), undefined, null, "conflict", {}, new TypeError("y")]) {
      equal("no conflict", stage.store.isConflict(error), false);
    }
    return Promise.resolve();
  },
});

function keyOf(key: string) {
  return { key, scope: "active", windowMs: undefined } as const;
}
