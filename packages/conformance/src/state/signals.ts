import { equal, match, only } from "../check.ts";
import { continued, deferred, failed } from "./build.ts";
import { rules } from "./group.ts";
import {
  contentOf,
  lastJob,
  listed,
  numbersOf,
  running,
  send,
  sendAll,
  sendNumber,
  toChain,
  untaken,
  waiting,
  waitingChain,
} from "./signalling.ts";

/** What signals do to a job that waits, and to one that does not yet. */
export const signalCases = rules("signals", {
  "a job that waits is not claimed, and is listed and counted as waiting": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    const next = waiting({ collect: { go: 2 }, topics: ["t"] });
    const { started } = await fixture.settled(continued(fence, next));
    match("the reply", only("one job", started), { jobId: next.id, status: "waiting", dueInMs: undefined });
    equal("nothing to claim", await fixture.claim(["w"]), []);
    const record = await fixture.job(next.id);
    match("the record", record, { chainId, status: "waiting", received: [], scheduledAt: undefined });
    equal("what it waits for", record.waits, { until: undefined, collect: { go: 2 }, topics: ["t"] });
    const counted = await fixture.store.count(fixture.options());
    equal(
      "counted",
      counted.filter(({ typeName }) => typeName === "w").map(({ status, count }) => [status, count]),
      [["waiting", 1]],
    );
    const queued = await fixture.store.countQueued(fixture.options());
    equal(
      "not queued",
      queued.filter(({ typeName }) => typeName === "w"),
      [],
    );
  },

  "a signal wakes the job that waits, and its handler sees it (E1)": async (fixture) => {
    const chainId = await waitingChain(fixture);
    const { id: jobId } = await lastJob(fixture, chainId);
    fixture.advance(5);
    const reply = await send(fixture, toChain(chainId, { payload: '{"by":"Grace"}', signalId: "1", context: "trace" }));
    equal("taken", reply.delivered, "taken");
    match("woken", only("one job", reply.woken), { jobId, chainId, typeName: "w" });
    match("ready", await fixture.job(jobId), { status: "ready", waits: undefined });
    fixture.advance(7);
    const held = await fixture.claimOne("w");
    equal("received", held.received, [
      { signal: "go", payload: '{"by":"Grace"}', at: fixture.now() - 7, signalId: "1", context: "trace" },
    ]);
    equal("waited since the signal", held.waitedMs, 7);
    match("on record", only("one signal", await listed(fixture, chainId)), {
      position: 1,
      typeName: "w",
      takenBy: jobId,
    });
  },

  "a signal that comes before its step is kept and taken when the step is written (E1, E2)": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    equal("kept", await sendNumber(fixture, chainId, 1), "buffered");
    equal("nothing else happens", await fixture.claim(["w"]), []);
    const { started } = await fixture.settled(continued(fence, waiting()));
    match("ready at once", only("one job", started), { status: "ready", dueInMs: undefined });
    equal("received", numbersOf((await fixture.claimOne("w")).received), [1]);
    equal("none is left", await untaken(fixture, chainId), []);
  },

  "a signal for a chain whose handler runs is kept for the next wait (E1)": async (fixture) => {
    const chainId = await waitingChain(fixture);
    await sendNumber(fixture, chainId, 1);
    equal("after the wait", await sendNumber(fixture, chainId, 2), "buffered");
    const held = await fixture.claimOne("w");
    equal("while the handler runs", await sendNumber(fixture, chainId, 3), "buffered");
    equal("the first alone", numbersOf(held.received), [1]);
    equal("left", await untaken(fixture, chainId), [2, 3]);
  },

  "a step that continues with itself takes one signal a turn, the oldest first (E4)": async (fixture) => {
    const chainId = await waitingChain(fixture);
    for (let value = 1; value <= 4; value += 1) await sendNumber(fixture, chainId, value);
    const seen: number[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      if (turn === 5) equal("the fifth comes while it waits", await sendNumber(fixture, chainId, 5), "taken");
      const held = await fixture.claimOne("w");
      seen.push(...numbersOf(held.received));
      await fixture.settled(continued(held.fence, waiting()));
    }
    equal("in order", seen, [1, 2, 3, 4, 5]);
    equal("it waits again", await fixture.claim(["w"]), []);
  },

  "signals of other types and of other names keep their own order (E4)": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    await sendAll(fixture, [
      toChain(chainId, { typeName: "other", payload: "1" }),
      toChain(chainId, { signal: "b", payload: "2" }),
      toChain(chainId, { signal: "a", payload: "3" }),
      toChain(chainId, { signal: "b", payload: "4" }),
    ]);
    await fixture.settled(continued(fence, waiting({ collect: { a: 2, b: 2 } })));
    equal("until one name is complete", numbersOf((await fixture.claimOne("w")).received), [2, 3, 4]);
    equal("the other type's is left", await untaken(fixture, chainId), [1]);
  },

  "a wait that collects ends with the last signal that it asks for": async (fixture) => {
    const chainId = await waitingChain(fixture, { collect: { go: 3 } });
    equal("taken", await sendNumber(fixture, chainId, 1), "taken");
    equal("still waiting", await fixture.claim(["w"]), []);
    const { id } = await lastJob(fixture, chainId);
    equal("so far", numbersOf((await fixture.job(id)).received), [1]);
    equal(
      "both taken",
      (await sendAll(fixture, [toChain(chainId, { payload: "2" }), toChain(chainId, { payload: "3" })])).map(
        ({ woken }) => woken.length,
      ),
      [0, 1],
    );
    const held = await fixture.claimOne("w");
    equal("all", [numbersOf(held.received), held.collect], [[1, 2, 3], { go: 3 }]);
  },

  "a wait counts signals with names that every object has": async (fixture) => {
    const collect = { ["__proto__"]: 2, constructor: 3 };
    const chainId = await waitingChain(fixture, { collect });
    for (const signal of ["constructor", "__proto__", "constructor"]) await sendNumber(fixture, chainId, 1, { signal });
    equal("still waiting", await fixture.claim(["w"]), []);
    await sendNumber(fixture, chainId, 2, { signal: "__proto__" });
    equal("both", numbersOf((await fixture.claimOne("w")).received), [1, 1, 1, 2]);
  },

  "a name that a wait does not count ends it with its first signal": async (fixture) => {
    const chainId = await waitingChain(fixture, { collect: { approved: 2 } });
    await sendNumber(fixture, chainId, 1, { signal: "approved" });
    await sendNumber(fixture, chainId, 2, { signal: "rejected" });
    equal("both", contentOf((await fixture.claimOne("w")).received), [
      ["approved", "1"],
      ["rejected", "2"],
    ]);
  },

  "a wait takes no more buffered signals than it asks for": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    for (let value = 1; value <= 5; value += 1) await sendNumber(fixture, chainId, value);
    await fixture.settled(continued(fence, waiting({ collect: { go: 3 } })));
    equal("three", numbersOf((await fixture.claimOne("w")).received), [1, 2, 3]);
    equal("left", await untaken(fixture, chainId), [4, 5]);
  },

  "buffered signals that are not enough are taken, and the wait goes on": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 1);
    const { started } = await fixture.settled(continued(fence, waiting({ collect: { go: 2 } })));
    match("waiting", only("one job", started), { status: "waiting" });
    equal("taken", await sendNumber(fixture, chainId, 2), "taken");
    equal("both", numbersOf((await fixture.claimOne("w")).received), [1, 2]);
  },

  "the same signal id has one effect, whether its signal was taken or not (E5)": async (fixture) => {
    const chainId = await waitingChain(fixture);
    equal("first", await sendNumber(fixture, chainId, 1, { signalId: "x" }), "taken");
    equal(
      "again, with another payload and name",
      await sendNumber(fixture, chainId, 2, { signalId: "x", signal: "stop" }),
      "deduplicated",
    );
    equal("another", await sendNumber(fixture, chainId, 3, { signalId: "y" }), "buffered");
    equal("again", await sendNumber(fixture, chainId, 4, { signalId: "y" }), "deduplicated");
    const replies = await sendAll(fixture, [
      toChain(chainId, { signalId: "z", payload: "5" }),
      toChain(chainId, { signalId: "z", payload: "6" }),
    ]);
    equal(
      "in one call",
      replies.map(({ delivered }) => delivered),
      ["buffered", "deduplicated"],
    );
    const elsewhere = await waitingChain(fixture);
    equal("another chain has its own", await sendNumber(fixture, elsewhere, 1, { signalId: "x" }), "taken");
    equal(
      "on record",
      (await listed(fixture, chainId)).map(({ payload }) => payload),
      ["1", "3", "5"],
    );
  },

  "retries, a lease that ran out and a retry of the chain see the same received signals (E6)": async (fixture) => {
    const chainId = await waitingChain(fixture, { collect: { go: 2 } });
    await sendNumber(fixture, chainId, 1);
    await sendNumber(fixture, chainId, 2);
    const first = await fixture.claimOne("w", { leaseMs: 1_000 });
    await sendNumber(fixture, chainId, 3);
    await fixture.settled(deferred(first.fence));
    const second = await fixture.claimOne("w", { leaseMs: 1_000 });
    fixture.advance(1_000);
    const third = await fixture.claimOne("w");
    await fixture.settled(deferred(third.fence, { schedule: { afterMs: 10 } }));
    match("scheduled, not waiting", await fixture.job(third.id), { status: "scheduled" });
    fixture.advance(10);
    const fourth = await fixture.claimOne("w");
    await fixture.settled(failed(fourth.fence));
    await fixture.store.retry([{ chainId, input: undefined, typeName: undefined }], fixture.options());
    const fifth = await fixture.claimOne("w");
    equal(
      "each time",
      [first, second, third, fourth, fifth].map(({ received }) => numbersOf(received)),
      [
        [1, 2],
        [1, 2],
        [1, 2],
        [1, 2],
        [1, 2],
      ],
    );
    equal("the third stays", await untaken(fixture, chainId), [3]);
  },

  "a job that never waited has received nothing": async (fixture) => {
    const held = await running(fixture);
    equal("a claim", [held.received, held.collect], [undefined, undefined]);
    const record = await fixture.job(held.id);
    equal("a record", [record.received, record.waits], [undefined, undefined]);
  },
});
