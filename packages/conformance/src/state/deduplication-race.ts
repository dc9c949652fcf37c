import type { JobStart } from "chainwright/adapter";
import { equal, holds, match, only, present, rejected } from "../check.ts";
import { createMeeting, settlesSoon } from "../meeting.ts";
import { blockedBy, completed, failed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, statuses } from "./listing.ts";
import { refused } from "./stage.ts";

function keyed(key: string, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope: "active", windowMs: undefined }, ...details });
}

export const deduplicationRaceCases = rules("deduplication", {
  "sixteen callers with ten keys at the same time: one chain a key, and all callers are told the same": async (
    stage,
  ) => {
    const other = await stage.connect();
    const keys = Array.from({ length: 10 }, (_, index) => `k-${index}`);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, caller) => {
        const own = caller % 2 === 0 ? stage : other;
        // Every caller comes with the keys in another order: locks taken in that order would meet head-on.
        const order = keys.map((_key, index) => keys[(index * 3 + caller) % keys.length] ?? "");
        return own.insist(async () => {
          const started = await own.start(order.map((key) => keyed(key)));
          return new Map(order.map((key, index) => [key, started[index]]));
        });
      }),
    );
    for (const key of keys) {
      const told = replies.map((reply) => reply.get(key));
      equal("one id", new Set(told.map((chain) => chain?.id)).size, 1);
      equal("one of them wrote it", told.filter((chain) => chain?.deduplicated === false).length, 1);
    }
    equal("one chain a key", (await chains(stage)).length, keys.length);
  },

  "callers in overlapping transactions: one chain, and all are told the same": async (stage) => {
    const other = await stage.connect();
    const meet = createMeeting(6);
    const told = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.transact(async (tx) => {
          await own.store.getChains([], own.options(tx));
          await meet();
          return own.startOne(keyed("k"), tx);
        });
      }),
    );
    equal("one id", new Set(told.map(({ id }) => id)).size, 1);
    equal("one of them wrote it", told.filter(({ deduplicated }) => !deduplicated).length, 1);
    equal("one chain", (await chains(stage)).length, 1);
  },

  "a second caller does not rely on a first that rolls back": async (stage) => {
    const other = await stage.connect();
    const first = keyed("k");
    const second = keyed("k");
    let waiting: Promise<unknown> | undefined;
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await stage.startOne(first, tx);
        waiting = other.insist(() => other.startOne(second));
        await settlesSoon(waiting);
        throw new Error("undo");
      }),
    );
    const told = await waiting;
    equal("it wrote its own", told, {
      id: second.id,
      deduplicated: false,
      status: "active",
      input: "{}",
      createdAt: stage.now(),
      jobs: [{ jobId: second.id, chainId: second.id, typeName: "a", status: "ready", dueInMs: undefined }],
    });
    equal("one chain", await statuses(stage, [first.id, second.id]), [undefined, "active"]);
  },

  "a second caller waits for a first that commits": async (stage) => {
    const other = await stage.connect();
    const first = keyed("k");
    const second = keyed("k");
    let waiting: Promise<{ readonly id: string }> | undefined;
    await stage.transact(async (tx) => {
      const own = await stage.startOne(first, tx);
      waiting ??= other.insist(() => other.startOne(second));
      await settlesSoon(waiting);
      return own;
    });
    const told = await waiting;
    const there = only("one chain", await chains(stage));
    equal("told of the one that is there", told?.id, there.id);
  },

  "many callers, every other one rolls back: one chain a key in the end": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 5; round += 1) {
      const key = `k-${round}`;
      const ends = await Promise.allSettled(
        Array.from({ length: 16 }, (_, index) => {
          const own = index % 2 === 0 ? stage : other;
          return own.transact(async (tx) => {
            const chain = await own.startOne(keyed(key), tx);
            if (index % 4 < 2) throw new Error("undo");
            return chain;
          });
        }),
      );
      const told = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
      equal("half of them commit", told.length, 8);
      equal("one id", new Set(told.map(({ id }) => id)).size, 1);
      equal("one of those that committed wrote it", told.filter(({ deduplicated }) => !deduplicated).length, 1);
    }
    equal("one chain a key", (await chains(stage)).length, 5);
  },

  "a start while the chain that holds the key completes: one of the two, and never two active chains": async (
    stage,
  ) => {
    const other = await stage.connect();
    for (let round = 0; round < 20; round += 1) {
      const first = await stage.startOne(keyed("k"));
      const { fence } = await stage.claimOne("a");
      const [second] = await Promise.all([
        other.insist(() => other.startOne(keyed("k"))),
        stage.insist(() => stage.settled(completed(fence))),
      ]);
      const active = await chains(stage, { statuses: ["active"] });
      if (second.id === first.id) equal("met the first, which has ended now", active, []);
      else equal("began a second", only("one active", active).id, second.id);
      for (const { id } of active) await stage.settled(completed({ chainId: id, typeName: "a" }));
    }
  },

  "starts while the chains that hold their keys are deleted: a chain for each item, in its place": async (stage) => {
    const other = await stage.connect();
    for (let round = 0; round < 20; round += 1) {
      const holders = await stage.start([keyed("k-1"), keyed("k-2"), keyed("inline")]);
      const ids = holders.map(({ id }) => id);
      const inline = keyed("inline");
      const starts = [
        keyed("k-1"),
        job("a"),
        keyed("k-2"),
        job("a", { blockers: [{ start: inline }], deduplication: undefined }),
      ];
      const [told] = await Promise.all([
        other.insist(() => other.start(starts)),
        ...ids.map((id) => stage.insist(() => stage.store.remove({ chainIds: [id], cascade: true }, stage.options()))),
      ]);
      equal("one for each", told.length, starts.length);
      for (const [n, chain] of told.entries()) {
        const expected = chain.deduplicated ? ids[n === 2 ? 1 : 0] : starts[n]?.id;
        equal(`item ${n}`, chain.id, expected);
      }
      const left = (await chains(stage)).map(({ id }) => id);
      await stage.insist(() => stage.store.remove({ chainIds: left, cascade: true }, stage.options()));
    }
  },

  "starts at the same time after the window has passed: one chain": async (stage) => {
    const other = await stage.connect();
    const windowed = () => job("a", { deduplication: { key: "k", scope: "any", windowMs: 100 } });
    await stage.startOne(windowed());
    stage.advance(100);
    const told = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.insist(() => own.startOne(windowed()));
      }),
    );
    equal("one id", new Set(told.map(({ id }) => id)).size, 1);
    equal("one of them wrote it", told.filter(({ deduplicated }) => !deduplicated).length, 1);
    equal("two chains in all", (await chains(stage)).length, 2);
  },

  "a chain that is failed from its start holds no key of scope active": async (stage) => {
    const bad = await stage.startOne(job("x"));
    await stage.settled(failed({ chainId: bad.id, typeName: "x" }));
    const first = await stage.startOne(keyed("k", { blockers: [blockedBy(bad.id)] }));
    match("failed", first, { status: "failed" });
    match("free", await stage.startOne(keyed("k")), { deduplicated: false, status: "active" });
  },

  "a dependent whose key another chain has taken does not come back beside it": async (stage) => {
    const blocker = await stage.startOne(job("x"));
    const dependent = await stage.startOne(keyed("k", { blockers: [blockedBy(blocker.id)] }));
    await stage.settled(failed({ chainId: blocker.id, typeName: "x" }));
    const rival = await stage.startOne(keyed("k"));
    const reply = await stage.store.retry(
      [{ chainId: blocker.id, input: undefined, typeName: undefined }],
      stage.options(),
    );
    holds("retried, or refused with the rival's id", reply.ok || reply.refusal.references?.[0] === rival.id, reply);
    equal("one holds the key", await statuses(stage, [dependent.id, rival.id]), ["failed", "active"]);
  },

  "a chain whose inline blocker has its own key would wait for itself: refused as a cycle": async (stage) => {
    const inline = keyed("k");
    const start = keyed("k", { blockers: [{ start: inline }] });
    const [reply] = await stage.store.start([{ starts: [start] }], stage.options());
    equal("refused", refused("refused", present("a reply", reply)).code, "blocker-cycle");
    equal("nothing is written", await chains(stage), []);
    match("the key is free", await stage.startOne(keyed("k")), { deduplicated: false });
  },
});
