import { equal, match, only, rejected } from "../check.ts";
import { completed, deferred, job } from "./build.ts";
import { accepted } from "./fixture.ts";
import { rules } from "./group.ts";
import { counts } from "./listing.ts";
import { ids, pause, paused, resume } from "./pausing.ts";

const beat = { workerId: "w-1", name: "w-1", typeNames: ["a"], concurrency: 1, holds: 0, aliveForMs: 1_000 };

export const pauseCases = rules("pause", {
  "no claim that begins after a pause takes a job of the type, and others take theirs": async (fixture) => {
    const [a, b] = await fixture.start([job("a"), job("b")]);
    await pause(fixture, "a");
    const other = await fixture.connect();
    equal("only the other type", ids(await other.look(["a", "b"])), [b?.id]);
    equal("the type alone", ids(await fixture.look(["a"])), []);
    await resume(fixture, "a");
    equal("resumed", ids(await other.look(["a", "b"])), [a?.id]);
  },

  "a pause counts from the moment when its transaction commits": async (fixture) => {
    await fixture.start([job("a"), job("a")]);
    const other = await fixture.connect();
    const isAlone = fixture.store.insideTransaction !== undefined;
    await fixture.transact(async (tx) => {
      await pause(fixture, "a", {}, tx);
      equal("inside", await paused(fixture, tx), ["a"]);
      if (!isAlone) equal("claims do not wait", (await other.claim(["a"], { limit: 1 })).length, 1);
    });
    equal("nothing more", await other.claim(["a"]), []);
  },

  "a pause and a resume in a transaction that rolls back change nothing": async (fixture) => {
    await fixture.start([job("a"), job("b")]);
    await pause(fixture, "b", { reason: "why" });
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await pause(fixture, "a", {}, tx);
        await resume(fixture, "b", tx);
        throw new Error("undo");
      }),
    );
    match("as before", only("one", await fixture.store.listPauses(fixture.options())), {
      typeName: "b",
      reason: "why",
    });
    equal(
      "the type that is not paused",
      (await fixture.claim(["a", "b"])).map(({ typeName }) => typeName),
      ["a"],
    );
  },

  "a pause says who made it, why, and until when, in every call that returns it": async (fixture) => {
    await pause(fixture, "b", { reason: "the provider 日本 is 'down'", by: "ada", forMs: 5_000 });
    const pausedAt = fixture.now();
    fixture.advance(1_000);
    await pause(fixture, "a");
    const expected = [
      {
        typeName: "a",
        reason: undefined,
        by: undefined,
        pausedAt: fixture.now(),
        until: undefined,
        endsInMs: undefined,
      },
      {
        typeName: "b",
        reason: "the provider 日本 is 'down'",
        by: "ada",
        pausedAt,
        until: pausedAt + 5_000,
        endsInMs: 4_000,
      },
    ];
    equal("listed", await fixture.store.listPauses(fixture.options()), expected);
    equal("a heartbeat", (await fixture.store.heartbeat(beat, fixture.options())).paused, expected);
  },

  "a pause with a time ends by itself, and claims report when": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await pause(fixture, "a", { forMs: 2_000 });
    fixture.advance(500);
    match("paused", await fixture.look(["a", "b"]), { claimed: [], nextDueInMs: 1_500 });
    match("of other types it says nothing", await fixture.look(["b"]), { nextDueInMs: undefined });
    fixture.advance(1_499);
    match("still", await fixture.look(["a"]), { claimed: [], nextDueInMs: 1 });
    fixture.advance(1);
    equal("none", await paused(fixture), []);
    equal("claimed", ids(await fixture.look(["a"])), [chain.id]);
  },

  "maintenance and the next pause remove pauses whose time has passed, and no others": async (fixture) => {
    await pause(fixture, "a", { forMs: 10 });
    await pause(fixture, "b");
    await pause(fixture, "c", { forMs: 1_000 });
    fixture.advance(10);
    await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 10 }, fixture.options());
    equal("after maintenance", await paused(fixture), ["b", "c"]);
    fixture.advance(1_000);
    await pause(fixture, "d");
    equal("after a pause", await paused(fixture), ["b", "d"]);
  },

  "a later pause replaces the earlier one": async (fixture) => {
    await pause(fixture, "a", { reason: "first", by: "ada", forMs: 1_000 });
    await pause(fixture, "a", { reason: "second" });
    fixture.advance(2_000);
    match("the second", only("one", await fixture.store.listPauses(fixture.options())), {
      reason: "second",
      by: undefined,
      until: undefined,
    });
    await pause(fixture, "a", { forMs: 10 });
    fixture.advance(10);
    equal("ended with the third", await paused(fixture), []);
  },

  "several types are paused and resumed together; a type that is not paused can be resumed": async (fixture) => {
    const none = { reason: undefined, by: undefined, forMs: undefined };
    const pauses = ["c", "a", "b"].map((typeName) => ({ typeName, ...none }));
    await fixture.store.setPauses({ pauses, resume: ["x"] }, fixture.options());
    equal("paused", await paused(fixture), ["a", "b", "c"]);
    await fixture.store.setPauses(
      { pauses: [{ typeName: "d", ...none }], resume: ["a", "c", "never paused"] },
      fixture.options(),
    );
    equal("left", await paused(fixture), ["b", "d"]);
  },

  "a running attempt ends: its lease is renewed and its outcome settles": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a", { leaseMs: 1_000 });
    await pause(fixture, "a");
    fixture.advance(900);
    equal(
      "renewed",
      await fixture.store.renew(
        { workerId: held.fence.workerId, held: [{ jobId: held.id, fence: held.fence.fence, leaseMs: 1_000 }] },
        fixture.options(),
      ),
      [],
    );
    fixture.advance(900);
    await fixture.settled(completed(held.fence));
    match("completed", await fixture.chain(held.chainId), { status: "completed" });
  },

  "a job that is given back under a pause keeps its place and its attempt": async (fixture) => {
    const [first, second] = await fixture.start([job("a"), job("a")]);
    const [held] = await fixture.claim(["a"], { limit: 1 });
    if (held === undefined) throw new Error("one is claimed");
    await pause(fixture, "a");
    await fixture.settled(deferred(held.fence, { counted: false }));
    equal("not claimed", await fixture.claim(["a"]), []);
    await resume(fixture, "a");
    const { claimed } = await fixture.look(["a"]);
    equal("in order", ids({ claimed }), [first?.id, second?.id]);
    match("the same attempt", claimed[0], { attempt: 1 });
  },

  "a pause changes no priority, order or due time": async (fixture) => {
    const started = await fixture.start([
      job("a"),
      job("b", { priority: 5 }),
      job("a", { priority: 9 }),
      job("b"),
      job("a", { schedule: { afterMs: 1_000 } }),
    ]);
    await pause(fixture, "a");
    await pause(fixture, "b", { forMs: 500 });
    fixture.advance(400);
    equal("none", ids(await fixture.look(["a", "b"])), []);
    await resume(fixture, "a");
    await resume(fixture, "b");
    match("due as before", await fixture.job(started[4]?.id ?? ""), {
      status: "scheduled",
      scheduledAt: fixture.now() + 600,
    });
    const reply = await fixture.look(["a", "b"]);
    equal(
      "in order",
      ids(reply),
      [2, 1, 0, 3].map((index) => started[index]?.id),
    );
    match("the waiting time goes on", reply.claimed[0], { waitedMs: 400 });
    match("due", reply, { nextDueInMs: 600 });
  },

  "jobs of a paused type count as ready, those included that become due, are triggered or lose their lease": async (
    fixture,
  ) => {
    const later = { afterMs: 1_000 } as const;
    const [, due, triggered] = await fixture.start([
      job("a"),
      job("a", { schedule: later }),
      job("a", { schedule: later }),
    ]);
    await fixture.claimOne("a", { leaseMs: 700 });
    await fixture.startOne(job("a"));
    await pause(fixture, "a");
    accepted("triggered", await fixture.store.trigger([triggered?.id ?? ""], fixture.options()));
    match("ready at once", await fixture.job(triggered?.id ?? ""), { status: "ready" });
    fixture.advance(1_000);
    match("nothing is claimed, and nothing is due", await fixture.look(["a", "b"]), {
      claimed: [],
      nextDueInMs: undefined,
    });
    match("ready when due", await fixture.job(due?.id ?? ""), { status: "ready" });
    equal("counted", (await counts(fixture))["a ready"], 4);
    equal("ahead of the last", await fixture.store.countAhead(due?.id ?? "", 100, fixture.options()), 1);
    await resume(fixture, "a");
    equal("all are claimed", (await fixture.claim(["a"])).length, 4);
  },

  "a claim of a paused type reports no due job of it": async (fixture) => {
    await fixture.start([job("a", { schedule: { afterMs: 100 } }), job("b", { schedule: { afterMs: 500 } })]);
    await pause(fixture, "a");
    match("the other type's", await fixture.look(["a", "b"]), { nextDueInMs: 500 });
    fixture.advance(200);
    match("still", await fixture.look(["a", "b"]), { claimed: [], nextDueInMs: 300 });
    match("alone", await fixture.look(["a"]), { claimed: [], nextDueInMs: undefined });
  },

  "names of paused types are texts: a similar type is not paused": async (fixture) => {
    for (const name of ["a%", "a_", "'a", "a,b", "{a}", "日本"]) {
      await fixture.start([job(name), job(`${name}x`)]);
      await pause(fixture, name);
      equal(
        name,
        (await fixture.claim([name, `${name}x`, "a"])).map(({ typeName }) => typeName),
        [`${name}x`],
      );
    }
  },

  "many types are claimed while some of them are paused": async (fixture) => {
    const names = Array.from({ length: 30 }, (_, index) => `type-${String(index).padStart(2, "0")}`);
    await fixture.start(names.map((name) => job(name)));
    for (const name of names.slice(0, 20)) await pause(fixture, name);
    equal("the others", (await fixture.claim(names)).map(({ typeName }) => typeName).toSorted(), names.slice(20));
  },

  "pauses and resumes of many types at the same time all succeed": async (fixture) => {
    const names = Array.from({ length: 8 }, (_, index) => `type-${index}`);
    const none = { reason: undefined, by: undefined, forMs: undefined };
    await Promise.all(
      Array.from({ length: 12 }, (_, turn) => {
        const own = names.toSorted(() => (turn % 2 === 0 ? 1 : -1));
        const request =
          turn % 3 === 0
            ? { pauses: [], resume: own }
            : { pauses: own.map((typeName) => ({ typeName, ...none, reason: String(turn) })), resume: [] };
        return fixture.insist(() => fixture.store.setPauses(request, fixture.options()));
      }),
    );
    await fixture.store.setPauses({ pauses: [], resume: names }, fixture.options());
    equal("none is left", await paused(fixture), []);
  },
});
