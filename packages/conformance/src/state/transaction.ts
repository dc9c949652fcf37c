import type { JobStart } from "chainwright/adapter";
import { equal, holds, match, only, present, rejected, sameMembers } from "../check.ts";
import { createBarrier, settlesSoon } from "../barrier.ts";
import { blockedBy, completed, continued, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chainQuery, chains, counts, everything, jobQuery, statuses } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

/** Runs in a transaction and rolls it back. */
async function undone(fixture: StateFixture, run: (tx: unknown) => Promise<unknown>): Promise<void> {
  const undo = new Error("undo");
  const error = await rejected(
    "the transaction rejects",
    fixture.store.transaction(async (tx) => {
      await run(tx);
      throw undo;
    }),
  );
  equal("with what its callback threw", error === undo, true);
}

const item = { input: undefined, typeName: undefined } as const;

export const transactionCases = rules("transaction", {
  "resolves with the result of its callback": async (fixture) => {
    equal("value", await fixture.store.transaction(() => Promise.resolve(42)), 42);
  },

  "commits what was written with its handle": async (fixture) => {
    const chain = await fixture.transact((tx) => fixture.startOne(job("a"), tx));
    match("there", await fixture.chain(chain.id), { status: "active" });
    match("claimed", await fixture.claimOne("a"), { id: chain.id });
  },

  "rolls back when its callback rejects, and rejects with the same error": async (fixture) => {
    const start = job("a", { deduplication: { key: "k", scope: "any", windowMs: undefined } });
    await undone(fixture, (tx) => fixture.startOne(start, tx));
    equal("not there", await fixture.store.getChains([start.id], fixture.options()), [undefined]);
    equal("not claimable", await fixture.claim(["a"]), []);
    equal("not counted", await counts(fixture), {});
    match("its key and its id are free", await fixture.startOne(start), { id: start.id, deduplicated: false });
  },

  "rolls back when its callback throws any value": async (fixture) => {
    for (const thrown of [undefined, null, 0, "text", { code: "closed" }]) {
      const start = job("a");
      const error = await rejected(
        "rejects",
        fixture.store.transaction(async (tx) => {
          await fixture.startOne(start, tx);
          // oxlint-disable-next-line typescript/only-throw-error -- users throw such things
          throw thrown;
        }),
      );
      equal("the very value", error, thrown);
      equal("not there", await statuses(fixture, [start.id]), [undefined]);
    }
  },

  "rolls back when its callback throws without a promise": async (fixture) => {
    const mine = new Error("mine");
    const error = await rejected(
      "rejects",
      fixture.store.transaction(() => {
        throw mine;
      }),
    );
    equal("the very error", error === mine, true);
    await fixture.startOne(job("a"));
  },

  "undoes an outcome with all its consequences": async (fixture) => {
    const chain = await fixture.startOne(
      job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } }),
    );
    await fixture.startOne(job("b", { blockers: [blockedBy(chain.id)] }));
    const patient = job("c", { blockers: [blockedBy(chain.id)], onBlockerFailure: "wait" });
    await fixture.startOne(patient);
    const held = await fixture.claimOne("a");
    const before = await everything(fixture);
    for (const outcome of [
      completed(held.fence, "1"),
      failed(held.fence),
      continued(held.fence, job("n", { blockers: [{ start: job("x") }] })),
    ]) {
      await undone(fixture, (tx) => fixture.settled(outcome, tx));
      equal(`${outcome.kind} is undone`, await everything(fixture), before);
      equal("nothing can run", await fixture.claim(["b", "c", "n", "x"]), []);
      match("the key is held", await fixture.startOne(job("a", { deduplication: keyOf("k") })), { id: chain.id });
    }
    await fixture.settled(completed(held.fence, "1"));
    equal("settles later", (await fixture.claim(["b", "c"])).length, 2);
  },

  "undoes a claim": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.startOne(job("b", { schedule: { afterMs: 10 } }));
    fixture.advance(10);
    const before = await everything(fixture);
    await undone(fixture, async (tx) => {
      equal("claimed", (await fixture.claim(["a", "b"], { tx })).length, 2);
    });
    equal("as it was", await everything(fixture), before);
    match("the first attempt", await fixture.claimOne("a"), { id: chain.id, attempt: 1 });
    match("the other too", await fixture.claimOne("b"), { attempt: 1 });
  },

  "sees its own writes": async (fixture) => {
    const waiting = job("w");
    await undone(fixture, async (tx) => {
      const blocker = await fixture.startOne(job("x"), tx);
      await fixture.startOne({ ...waiting, blockers: [blockedBy(blocker.id)] }, tx);
      const options = fixture.options(tx);
      match("the chain", (await fixture.store.getChains([blocker.id], options))[0], { status: "active" });
      match("the job", (await fixture.store.getJobs([waiting.id], options))[0], { status: "blocked" });
      equal("both chains", (await fixture.store.listChains(chainQuery(), options)).length, 2);
      equal("both jobs", (await fixture.store.listJobs(jobQuery(), options)).length, 2);
      const query = { jobId: waiting.id, afterPosition: undefined, limit: 10 };
      equal("its blocker", only("one", await fixture.store.listBlockers(query, options)).chain.id, blocker.id);
      equal("counted", await counts(fixture, tx), { "x ready": 1, "w blocked": 1 });
      equal("no job is ahead", await fixture.store.countAhead(blocker.id, 10, options), 0);
      const held = await fixture.claimOne("x", { tx });
      const { unblocked } = await fixture.settled(completed(held.fence), tx);
      equal("frees its own", only("one", unblocked).jobId, waiting.id);
      accepted("cancels its own", await fixture.store.cancel([{ chainId: waiting.id, reason: "r" }], options));
      accepted("retries its own", await fixture.store.retry([{ chainId: waiting.id, ...item }], options));
      accepted(
        "deletes its own",
        await fixture.store.remove({ chainIds: [waiting.id, blocker.id], cascade: false }, options),
      );
      equal("gone", await counts(fixture, tx), {});
    });
    equal("nothing of it", await chains(fixture), []);
  },

  "is invisible to others before its commit": async (fixture) => {
    const other = await fixture.connect();
    const start = job("a");
    const undo = new Error("undo");
    // A store with one connection may let readers wait until the transaction has ended; then they see its end.
    let reads: Promise<readonly unknown[]> | undefined;
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await fixture.startOne(start, tx);
        reads = Promise.all([
          statuses(fixture, [start.id]),
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

  "is visible to others after its commit": async (fixture) => {
    const other = await fixture.connect();
    const start = job("a");
    await fixture.transact((tx) => fixture.startOne(start, tx));
    equal("seen", await statuses(other, [start.id]), ["active"]);
    match("claimed", await other.claimOne("a"), { id: start.id });
  },

  "does not see what another has not committed": async (fixture) => {
    const other = await fixture.connect();
    const start = job("a");
    const started = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const look = async () => {
      await started.promise;
      const seen = await other.transact((tx) => other.store.getChains([start.id], other.options(tx)));
      looked.resolve();
      equal("not seen", seen, [undefined]);
    };
    const write = fixture.store.transaction(async (tx) => {
      await fixture.startOne(start, tx);
      started.resolve();
      await settlesSoon(looked.promise);
      throw new Error("undo");
    });
    await Promise.all([rejected("rejects", write), look()]);
  },

  "fifty at the same time each commit their own": async (fixture) => {
    const other = await fixture.connect();
    const starts = Array.from({ length: 50 }, () => job("a"));
    await Promise.all(
      starts.map((start, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.transact(async (tx) => {
          await own.startOne(start, tx);
          if (index % 5 === 0) await own.store.getChains([start.id], own.options(tx));
        });
      }),
    );
    sameMembers(
      "all there",
      (await fixture.claim(["a"])).map(({ id }) => id),
      starts.map(({ id }) => id),
    );
  },

  "one that fails does not affect concurrent ones": async (fixture) => {
    const starts = Array.from({ length: 20 }, () => job("a"));
    const run = async (start: JobStart, index: number) => {
      try {
        await fixture.transact(async (tx) => {
          await fixture.startOne(start, tx);
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
        fixture,
        starts.map(({ id }) => id),
      ),
      starts.map((_, index) => (index % 2 === 0 ? "active" : undefined)),
    );
  },

  "of two that settle one attempt, one settles and the other gets lost": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 3; round += 1) {
      const chain = await fixture.startOne(job("a"));
      const { fence } = await fixture.claimOne("a");
      const barrier = createBarrier(2);
      const replies = await Promise.all(
        [fixture, other].map((own, index) =>
          own.transact(async (tx) => {
            await own.store.getChains([], own.options(tx));
            await barrier();
            return { index, reply: await own.settle(completed(fence, String(index)), tx) };
          }),
        ),
      );
      const winner = only(
        "one winner",
        replies.filter(({ reply }) => reply.status === "settled"),
      );
      equal("its output", (await fixture.chain(chain.id)).output, String(winner.index));
      const loser = replies.find(({ index }) => index !== winner.index);
      equal("the other", loser?.reply, { status: "lost", reason: "completed-elsewhere" });
    }
  },

  "a worker keeps its claim while a transaction that a handler holds is open": async (fixture) => {
    const other = await fixture.connect();
    const chain = await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 1_000 });
    let renewal: Promise<unknown> | undefined;
    await fixture.transact(async (tx) => {
      await fixture.startOne(job("b"), tx);
      fixture.advance(900);
      renewal = other.insist(() =>
        other.store.renew(
          { workerId: "worker-1", held: [{ jobId: chain.id, fence: 1, leaseMs: 1_000 }] },
          other.options(),
        ),
      );
      await settlesSoon(renewal);
      await fixture.settled(completed(held.fence, "1"), tx);
    });
    // Whether the renewal came before the settlement or after it, the reason must not be that another worker has the job.
    const lost = await present("renewal", renewal);
    holds(
      "kept, or completed meanwhile",
      [JSON.stringify([]), JSON.stringify([{ fence: held.fence, reason: "completed-elsewhere" }])].includes(
        JSON.stringify(lost),
      ),
      lost,
    );
    match("the chain", await fixture.chain(chain.id), { status: "completed", output: "1" });
  },

  "isConflict is false for errors that are not lost races": (fixture) => {
    for (const error of [new Error("x"), undefined, null, "conflict", {}, new TypeError("y")]) {
      equal("no conflict", fixture.store.isConflict(error), false);
    }
    return Promise.resolve();
  },
});

function keyOf(key: string) {
  return { key, scope: "active", windowMs: undefined } as const;
}
