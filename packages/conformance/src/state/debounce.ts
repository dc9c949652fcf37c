import type { JobStart } from "chainwright/adapter";
import { equal, match, only } from "../check.ts";
import { blockedBy, completed, deferred, failed, job, newId } from "./build.ts";
import { accepted, refused, type StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { chains, idsOf, statuses } from "./listing.ts";

/** Quiet for 2 seconds, at most 5. */
export function debounced(key: string, details: Partial<JobStart> = {}): JobStart {
  return job("a", { deduplication: { key, scope: "debounce", quietMs: 2_000, maxWaitMs: 5_000 }, ...details });
}

async function dueIn(fixture: StateFixture, id: string): Promise<number> {
  return ((await fixture.job(id)).scheduledAt ?? fixture.now()) - fixture.now();
}

export const debounceCases = rules("debounce", {
  "J1: starts within quietMs leave one chain, which is due quietMs after the last of them and has its input": async (
    fixture,
  ) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    match("the first", first, { deduplicated: false, replaced: undefined });
    equal("due", await dueIn(fixture, first.id), 2_000);
    fixture.advance(1_500);
    const second = await fixture.startOne(debounced("k", { input: "2" }));
    match("the second", second, { id: first.id, deduplicated: true, status: "active", input: "2", jobs: [] });
    match("its job", second.replaced, { jobId: first.id, chainId: first.id, dueInMs: 2_000, isAnnounced: false });
    fixture.advance(1_999);
    equal("not yet", await fixture.claim(["a"]), []);
    fixture.advance(1);
    match("the last input", await fixture.claimOne("a"), { id: first.id, input: "2" });
    equal("one chain", idsOf(await chains(fixture)), [first.id]);
  },

  "J1: of two starts with one key in one call the second goes into the chain of the first": async (fixture) => {
    const [one, two] = await fixture.start([debounced("k", { input: "1" }), debounced("k", { input: "2" })]);
    match("the first", one, { deduplicated: false });
    match("the second", two, { id: one?.id, deduplicated: true, input: "2" });
    match("one job", await fixture.job(one?.id ?? ""), { input: "2", status: "scheduled" });
    equal("one chain", (await chains(fixture)).length, 1);
  },

  "J1: of two calls with one key in one batch the second goes into the chain of the first, beside other starts": async (
    fixture,
  ) => {
    const calls = [[debounced("k", { input: "1" })], [job("b")], [debounced("k", { input: "2" }), debounced("l")]];
    const replies = await fixture.store.start(
      calls.map((starts) => ({ starts })),
      fixture.options(),
    );
    const [one, plain, two, other] = replies.flatMap((reply) => accepted("accepted", reply));
    equal(
      "begun",
      [one, plain, two, other].map((chain) => chain?.deduplicated),
      [false, false, true, false],
    );
    equal("the same", two?.id, one?.id);
    match("the last input", await fixture.job(one?.id ?? ""), { input: "2" });
    equal("three chains", (await chains(fixture)).length, 3);
  },

  "J1: a call that is refused replaces no input, and the other calls of its batch do": async (fixture) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    const taken = await fixture.startOne(job("b"));
    const bad = { starts: [debounced("k", { input: "2" }), job("b", { id: taken.id })] };
    const [no, yes] = await fixture.store.start([bad, { starts: [debounced("l")] }], fixture.options());
    if (no === undefined || yes === undefined) throw new Error("one reply a call");
    equal("refused", refused("refused", no).code, "duplicate-id");
    match("accepted", only("one chain", accepted("accepted", yes)), { deduplicated: false });
    match("as it was", await fixture.job(first.id), { input: "1" });
  },

  "J1: the chain runs as the last start says, with the id, the tags and the time of the first one": async (fixture) => {
    const first = await fixture.startOne(
      debounced("k", { input: "1", version: 2, pool: "slow", priority: 7, tags: { n: "1" }, context: "c1" }),
    );
    const createdAt = fixture.now();
    fixture.advance(10);
    const later = debounced("k", {
      input: "2",
      version: 3,
      pool: "fast",
      priority: -1,
      tags: { n: "2" },
      context: "c2",
    });
    match("announced", (await fixture.startOne(later)).replaced, { isAnnounced: true });
    match("the job", await fixture.job(first.id), { input: "2", version: 3, pool: "fast", priority: -1, createdAt });
    match("the chain", await fixture.chain(first.id), { input: "2", version: 3, tags: { n: "1" }, createdAt });
    await fixture.startOne({ ...later, id: newId(), input: "3" });
    match("the same version", await fixture.job(first.id), { input: "3", version: 3, pool: "fast" });
    fixture.advance(2_000);
    equal("not as before", await fixture.claim(["a"], { version: 2, pool: "slow" }), []);
    match("as after", await fixture.claimOne("a", { version: 3, pool: "fast" }), { id: first.id, context: "c2" });
  },

  "J1: a start that is rolled back leaves the chain as it was": async (fixture) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    fixture.advance(1_000);
    const undo = fixture.store.transaction(async (tx) => {
      match("into it", await fixture.startOne(debounced("k", { input: "2", priority: 5 }), tx), { id: first.id });
      match("seen inside", (await fixture.store.getJobs([first.id], fixture.options(tx)))[0], { input: "2" });
      throw new Error("undo");
    });
    await undo.catch(() => undefined);
    match("as it was", await fixture.job(first.id), { input: "1", priority: 0 });
    equal("due as before", await dueIn(fixture, first.id), 1_000);
    fixture.advance(1_000);
    match("claimed", await fixture.claimOne("a"), { id: first.id, input: "1" });
  },

  "J1: the key of a start that is rolled back is free": async (fixture) => {
    const undo = fixture.store.transaction(async (tx) => {
      await fixture.startOne(debounced("k"), tx);
      throw new Error("undo");
    });
    await undo.catch(() => undefined);
    match("a chain of its own", await fixture.startOne(debounced("k")), { deduplicated: false });
    equal("one chain", (await chains(fixture)).length, 1);
  },

  "J2: the chain is never due later than maxWaitMs after the first start, however many follow": async (fixture) => {
    const first = await fixture.startOne(debounced("k"));
    for (const [left, due] of [
      [1_900, 2_000],
      [1_900, 1_200],
      [1_000, 200],
      [150, 50],
    ] as const) {
      fixture.advance(left);
      match(`after ${left}`, (await fixture.startOne(debounced("k"))).replaced, { dueInMs: due });
    }
    match("it says so", (await fixture.job(first.id)).gathers, { by: "debounce", until: fixture.now() + 50 });
    fixture.advance(50);
    match("claimed", await fixture.claimOne("a"), { id: first.id });
  },

  "J2: a start with a shorter maxWaitMs makes the chain due earlier, and workers hear of it": async (fixture) => {
    const first = await fixture.startOne(debounced("k"));
    const key = { key: "k", scope: "debounce", quietMs: 100, maxWaitMs: 300 } as const;
    fixture.advance(50);
    const sooner = await fixture.startOne(debounced("k", { deduplication: key }));
    match("due after quietMs", sooner.replaced, { dueInMs: 100, isAnnounced: true });
    fixture.advance(50);
    match("later", (await fixture.startOne(debounced("k", { deduplication: key }))).replaced, {
      dueInMs: 100,
      isAnnounced: false,
    });
    const now = { key: "k", scope: "debounce", quietMs: 10, maxWaitMs: 20 } as const;
    match("at once", (await fixture.startOne(debounced("k", { deduplication: now }))).replaced, { dueInMs: undefined });
    match("claimed", await fixture.claimOne("a"), { id: first.id });
  },

  "J2: while no worker is free, starts still find the chain, for maxWaitMs after the last one, and do not delay it further":
    async (fixture) => {
      const first = await fixture.startOne(debounced("k"));
      fixture.advance(4_900);
      match("it is put off to its end", (await fixture.startOne(debounced("k"))).replaced, { dueInMs: 100 });
      fixture.advance(4_900);
      match("it is due", await fixture.startOne(debounced("k", { input: "3" })), { id: first.id });
      match("it stays due", await fixture.job(first.id), { status: "ready", input: "3" });
      fixture.advance(4_999);
      match("still", await fixture.startOne(debounced("k", { input: "4" })), { id: first.id });
      fixture.advance(5_000);
      match("no longer", await fixture.startOne(debounced("k")), { deduplicated: false });
      match("it runs", await fixture.claimOne("a"), { id: first.id, input: "4" });
    },

  "J3: a start after the claim begins a chain of its own, also when the attempt did not count, and the next one goes into that":
    async (fixture) => {
      const first = await fixture.startOne(debounced("k", { input: "1" }));
      fixture.advance(2_000);
      const { fence } = await fixture.claimOne("a");
      const second = await fixture.startOne(debounced("k", { input: "2" }));
      match("while it runs", second, { deduplicated: false });
      match("into the second", await fixture.startOne(debounced("k", { input: "3" })), { id: second.id });
      await fixture.settled(deferred(fence, { counted: false, schedule: { afterMs: 60_000 } }));
      match("put back", await fixture.job(first.id), { attempt: 0, status: "scheduled", gathers: undefined });
      match("still the second", await fixture.startOne(debounced("k", { input: "4" })), { id: second.id });
      match("the first keeps its input", await fixture.job(first.id), { input: "1" });
      fixture.advance(60_000);
      const claimed = await fixture.claim(["a"]);
      equal("both run", claimed.map(({ input }) => input).toSorted(), ["1", "4"]);
    },

  "J3: a start after the end of the chain begins a chain of its own": async (fixture) => {
    const ends: readonly ((chainId: string) => Promise<unknown>)[] = [
      (chainId) => fixture.settled(completed({ chainId, typeName: "a" })),
      (chainId) => fixture.settled(failed({ chainId, typeName: "a" })),
      (chainId) => fixture.store.cancel([{ chainId, reason: undefined }], fixture.options()),
      (chainId) => fixture.store.remove({ chainIds: [chainId], cascade: false }, fixture.options()),
    ];
    for (const end of ends) {
      const first = await fixture.startOne(debounced("k"));
      match("a chain of its own", first, { deduplicated: false });
      equal("due", await dueIn(fixture, first.id), 2_000);
      await end(first.id);
    }
    match("in the end", await fixture.startOne(debounced("k")), { deduplicated: false });
  },

  "J3: a start with the id of a chain that has begun is refused": async (fixture) => {
    const first = debounced("k");
    await fixture.startOne(first);
    match("while it waits", await fixture.startOne(first), { id: first.id, deduplicated: true });
    fixture.advance(2_000);
    await fixture.claimOne("a");
    const [reply] = await fixture.store.start([{ starts: [first] }], fixture.options());
    if (reply === undefined) throw new Error("a reply");
    equal("refused", refused("refused", reply).code, "duplicate-id");
    match("the key is free for others", await fixture.startOne(debounced("k")), { deduplicated: false });
  },

  "a retry of a chain whose key another one holds is an ordinary retry, and later starts go into the other one": async (
    fixture,
  ) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    fixture.advance(2_000);
    await fixture.settled(failed((await fixture.claimOne("a")).fence));
    const second = await fixture.startOne(debounced("k", { input: "2" }));
    const item = { chainId: first.id, input: undefined, typeName: undefined };
    equal("retried", (await fixture.store.retry([item], fixture.options())).ok, true);
    match("into the second", await fixture.startOne(debounced("k", { input: "3" })), { id: second.id });
    match("the first keeps its input", await fixture.job(first.id), { input: "1", status: "ready" });
    const once = { key: "k", scope: "active", windowMs: undefined } as const;
    match("it holds no other key", await fixture.startOne(job("a", { deduplication: once })), { deduplicated: false });
    equal("both are active", await statuses(fixture, [first.id, second.id]), ["active", "active"]);
  },

  "a chain that waits for a debounced one as its blocker runs after it": async (fixture) => {
    const first = await fixture.startOne(debounced("k"));
    const waits = await fixture.startOne(job("b", { blockers: [blockedBy(first.id)] }));
    await fixture.startOne(debounced("k", { input: "2" }));
    fixture.advance(2_000);
    const ended = await fixture.settled(completed((await fixture.claimOne("a")).fence));
    match("unblocked", ended.unblocked[0], { jobId: waits.id });
  },

  "keys of starts with debounce, throttle and deduplication never meet, and lists find all of them": async (
    fixture,
  ) => {
    const one = await fixture.startOne(debounced("k"));
    const two = await fixture.startOne(job("a", { deduplication: { key: "k", scope: "active", windowMs: undefined } }));
    const three = await fixture.startOne(job("a", { deduplication: { key: "k", scope: "throttle", perMs: 9_000 } }));
    equal(
      "three",
      [one, two, three].map(({ deduplicated }) => deduplicated),
      [false, false, false],
    );
    equal("listed", (await chains(fixture, { key: { equals: "k" } })).length, 3);
    equal(
      "the holder is the one of deduplication",
      (await fixture.store.getKeyHolders(["k"], fixture.options())).map((chain) => chain?.id),
      [two.id],
    );
  },
});
