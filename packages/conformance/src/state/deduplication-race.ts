import type { JobStart } from "chainwright/adapter";
import { equal, holds, match, only, present, rejected } from "../check.ts";
import { createBarrier, settlesSoon } from "../barrier.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, statuses } from "./listing.ts";
import { refused } from "./fixture.ts";

function keyed(key: string, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope: "active", windowMs: undefined }, ...details });
}

export const deduplicationRaceCases = rules("deduplication", {
  "sixteen concurrent callers with ten keys start one chain per key and get the same replies": async (fixture) => {
    const other = await fixture.connect();
    const keys = Array.from({ length: 10 }, (_, index) => `k-${index}`);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, caller) => {
        const own = caller % 2 === 0 ? fixture : other;
        // Every caller has the keys in another order; locks that are taken in that order would deadlock.
        const order = keys.map((_key, index) => keys[(index * 3 + caller) % keys.length] ?? "");
        return own.insist(async () => {
          const started = await own.start(order.map((key) => keyed(key)));
          return new Map(order.map((key, index) => [key, started[index]]));
        });
      }),
    );
    for (const key of keys) {
      const started = replies.map((reply) => reply.get(key));
      equal("one id", new Set(started.map((chain) => chain?.id)).size, 1);
      equal("one of them wrote the chain", started.filter((chain) => chain?.deduplicated === false).length, 1);
    }
    equal("one chain a key", (await chains(fixture)).length, keys.length);
  },

  "callers in overlapping transactions start one chain and get the same replies": async (fixture) => {
    const other = await fixture.connect();
    const barrier = createBarrier(6);
    const started = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.transact(async (tx) => {
          await own.store.getChains([], own.options(tx));
          await barrier();
          return own.startOne(keyed("k"), tx);
        });
      }),
    );
    equal("one id", new Set(started.map(({ id }) => id)).size, 1);
    equal("one of them wrote the chain", started.filter(({ deduplicated }) => !deduplicated).length, 1);
    equal("one chain", (await chains(fixture)).length, 1);
  },

  "a second caller does not use the chain of a first one that rolls back": async (fixture) => {
    const other = await fixture.connect();
    const first = keyed("k");
    const second = keyed("k");
    let waiting: Promise<unknown> | undefined;
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await fixture.startOne(first, tx);
        waiting = other.insist(() => other.startOne(second));
        await settlesSoon(waiting);
        throw new Error("undo");
      }),
    );
    const reply = await waiting;
    equal("it started a chain of its own", reply, {
      id: second.id,
      deduplicated: false,
      status: "active",
      input: "{}",
      version: 1,
      createdAt: fixture.now(),
      jobs: [{ jobId: second.id, chainId: second.id, typeName: "a", status: "ready", dueInMs: undefined }],
    });
    equal("one chain", await statuses(fixture, [first.id, second.id]), [undefined, "active"]);
  },

  "a second caller waits for a first that commits": async (fixture) => {
    const other = await fixture.connect();
    const first = keyed("k");
    const second = keyed("k");
    let waiting: Promise<{ readonly id: string }> | undefined;
    await fixture.transact(async (tx) => {
      const own = await fixture.startOne(first, tx);
      waiting ??= other.insist(() => other.startOne(second));
      await settlesSoon(waiting);
      return own;
    });
    const reply = await waiting;
    const existing = only("one chain", await chains(fixture));
    equal("returned the existing chain", reply?.id, existing.id);
  },

  "many callers of which every other one rolls back leave one chain per key": async (fixture) => {
    const other = await fixture.connect();
    for (let round = 0; round < 5; round += 1) {
      const key = `k-${round}`;
      const ends = await Promise.allSettled(
        Array.from({ length: 16 }, (_, index) => {
          const own = index % 2 === 0 ? fixture : other;
          return own.transact(async (tx) => {
            const chain = await own.startOne(keyed(key), tx);
            if (index % 4 < 2) throw new Error("undo");
            return chain;
          });
        }),
      );
      const started = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
      equal("half of them commit", started.length, 8);
      equal("one id", new Set(started.map(({ id }) => id)).size, 1);
      equal(
        "one of those that committed wrote the chain",
        started.filter(({ deduplicated }) => !deduplicated).length,
        1,
      );
    }
    equal("one chain a key", (await chains(fixture)).length, 5);
  },

  "a start while the chain that holds the key completes returns that chain or a new one, and never leaves two active chains":
    async (fixture) => {
      const other = await fixture.connect();
      for (let round = 0; round < 20; round += 1) {
        const first = await fixture.startOne(keyed("k"));
        const { fence } = await fixture.claimOne("a");
        const [second] = await Promise.all([
          other.insist(() => other.startOne(keyed("k"))),
          fixture.insist(() => fixture.settled(completed(fence))),
        ]);
        const active = await chains(fixture, { statuses: ["active"] });
        if (second.id === first.id) equal("met the first, which has ended now", active, []);
        else equal("began a second", only("one active", active).id, second.id);
        for (const { id } of active) await fixture.settled(completed({ chainId: id, typeName: "a" }));
      }
    },

  "starts while the chains that hold their keys are deleted return a chain for each item, in order": async (
    fixture,
  ) => {
    const other = await fixture.connect();
    for (let round = 0; round < 20; round += 1) {
      const holders = await fixture.start([keyed("k-1"), keyed("k-2"), keyed("inline")]);
      const ids = holders.map(({ id }) => id);
      const inline = keyed("inline");
      const starts = [
        keyed("k-1"),
        job("a"),
        keyed("k-2"),
        job("a", { blockers: [{ start: inline }], deduplication: undefined }),
      ];
      const [started] = await Promise.all([
        other.insist(() => other.start(starts)),
        ...ids.map((id) =>
          fixture.insist(() => fixture.store.remove({ chainIds: [id], cascade: true }, fixture.options())),
        ),
      ]);
      equal("one for each", started.length, starts.length);
      for (const [n, chain] of started.entries()) {
        const expected = chain.deduplicated ? ids[n === 2 ? 1 : 0] : starts[n]?.id;
        equal(`item ${n}`, chain.id, expected);
      }
      const left = (await chains(fixture)).map(({ id }) => id);
      await fixture.insist(() => fixture.store.remove({ chainIds: left, cascade: true }, fixture.options()));
    }
  },

  "starts at the same time after the window has passed start one chain": async (fixture) => {
    const other = await fixture.connect();
    const windowed = () => job("a", { deduplication: { key: "k", scope: "any", windowMs: 100 } });
    await fixture.startOne(windowed());
    fixture.advance(100);
    const started = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.insist(() => own.startOne(windowed()));
      }),
    );
    equal("one id", new Set(started.map(({ id }) => id)).size, 1);
    equal("one of them wrote the chain", started.filter(({ deduplicated }) => !deduplicated).length, 1);
    equal("two chains in all", (await chains(fixture)).length, 2);
  },

  "a chain that is failed from its start holds no key of scope active": async (fixture) => {
    const bad = await fixture.startOne(job("x"));
    await fixture.settled(failed({ chainId: bad.id, typeName: "x" }));
    const first = await fixture.startOne(keyed("k", { blockers: [blockedBy(bad.id)] }));
    match("failed", first, { status: "failed" });
    match("free", await fixture.startOne(keyed("k")), { deduplicated: false, status: "active" });
  },

  "a dependent whose key another chain has taken stays failed when its blocker is retried": async (fixture) => {
    const blocker = await fixture.startOne(job("x"));
    const dependent = await fixture.startOne(keyed("k", { blockers: [blockedBy(blocker.id)] }));
    await fixture.settled(failed({ chainId: blocker.id, typeName: "x" }));
    const rival = await fixture.startOne(keyed("k"));
    const reply = await fixture.store.retry(
      [{ chainId: blocker.id, input: undefined, typeName: undefined }],
      fixture.options(),
    );
    holds("retried, or refused with the rival's id", reply.ok || reply.refusal.references?.[0] === rival.id, reply);
    equal("one holds the key", await statuses(fixture, [dependent.id, rival.id]), ["failed", "active"]);
  },

  "a chain whose inline blocker has its own key is refused as a cycle, because it would wait for itself": async (
    fixture,
  ) => {
    const inline = keyed("k");
    const start = keyed("k", { blockers: [{ start: inline }] });
    const [reply] = await fixture.store.start([{ starts: [start] }], fixture.options());
    equal("refused", refused("refused", present("a reply", reply)).code, "blocker-cycle");
    equal("nothing is written", await chains(fixture), []);
    match("the key is free", await fixture.startOne(keyed("k")), { deduplicated: false });
  },
});
