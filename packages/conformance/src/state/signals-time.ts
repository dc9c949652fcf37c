import { equal, holds, match, only } from "../check.ts";
import { completed, continued, failed, job } from "./build.ts";
import { accepted, refused, type StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import {
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

const tooLong = 10_000;

async function retry({ store, options }: StateFixture, chainId: string): Promise<string> {
  const item = { chainId, input: undefined, typeName: undefined };
  return only("one chain", accepted("retried", await store.retry([item], options()))).job.status;
}

async function cancel({ store, options }: StateFixture, chainId: string) {
  return only("one chain", accepted("cancelled", await store.cancel([{ chainId, reason: undefined }], options())));
}

/** How a wait ends: by its time, by a signal, or with its chain. */
export const signalTimeCases = rules("signals", {
  "a wait ends when its time is over, and the handler sees that nothing came (E3)": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    const { started } = await fixture.settled(continued(fence, waiting({ until: { afterMs: 500 } })));
    match("the reply", only("one job", started), { status: "waiting", dueInMs: 500 });
    const { id, waits } = await lastJob(fixture, chainId);
    equal("until", waits?.until, fixture.now() + 500);
    equal("an idle worker looks again then", (await fixture.look(["w"])).nextDueInMs, 500);
    fixture.advance(499);
    equal("not yet", await fixture.claim(["w"]), []);
    fixture.advance(1);
    match("over", await fixture.job(id), { status: "ready", waits: undefined });
    equal("nothing came", (await fixture.claimOne("w")).received, []);
    equal("a late signal is kept", await sendNumber(fixture, chainId, 1), "buffered");
  },

  "a signal before the time ends the wait, and its time has no effect any more (E3)": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    fixture.advance(499);
    equal("taken", await sendNumber(fixture, chainId, 1), "taken");
    const held = await fixture.claimOne("w", { leaseMs: 10_000 });
    fixture.advance(5_000);
    equal("not claimed again", await fixture.claim(["w"]), []);
    equal("by the signal", numbersOf(held.received), [1]);
    await fixture.settled(completed(held.fence));
  },

  "a signal between the end of the time and the next claim is taken or kept, and never both (E3)": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    fixture.advance(600);
    const delivered = await sendNumber(fixture, chainId, 1);
    const held = await fixture.claimOne("w");
    equal("as it was said", numbersOf(held.received), delivered === "taken" ? [1] : []);
    equal("else it is kept", await untaken(fixture, chainId), delivered === "taken" ? [] : [1]);
    equal("claimed once", await fixture.claim(["w"]), []);
  },

  "a wait whose time is over has what it collected until then, and was not ended by it": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 }, collect: { go: 2 } });
    await sendNumber(fixture, chainId, 1);
    fixture.advance(500);
    const held = await fixture.claimOne("w");
    equal("one of two", [numbersOf(held.received), held.collect], [[1], { go: 2 }]);
  },

  "a wait until a moment in the past takes what is there and runs at once": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 1);
    const past = { until: { at: fixture.now() - 1 }, collect: { go: 2 } };
    const { started } = await fixture.settled(continued(fence, waiting(past)));
    match("ready", only("one job", started), { status: "ready", dueInMs: undefined });
    const held = await fixture.claimOne("w");
    equal("what was there", numbersOf(held.received), [1]);
    await fixture.settled(continued(held.fence, waiting({ until: { afterMs: 0 } })));
    equal("nothing was there", numbersOf((await fixture.claimOne("w")).received), []);
  },

  "a waiting job is not scheduled: it cannot be triggered and is not listed as due": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    const { id } = await lastJob(fixture, chainId);
    const { store, options } = fixture;
    equal("refused", refused("triggered", await store.trigger([id], options())), {
      code: "job-not-scheduled",
      id,
      actual: "waiting",
    });
    equal("not due", await store.listDue({ typeNames: undefined, after: undefined, limit: 10 }, options()), []);
    const { chainId: forever } = { chainId: await waitingChain(fixture) };
    const other = await lastJob(fixture, forever);
    equal(
      "nor is one without an end",
      refused("triggered", await store.trigger([other.id], options())).actual,
      "waiting",
    );
  },

  "a cancelled chain does not wait any more, and no signal reaches it": async (fixture) => {
    for (const until of [undefined, { afterMs: 500 }]) {
      const chainId = await waitingChain(fixture, { until, collect: { go: 2 } });
      await sendNumber(fixture, chainId, 1);
      match("cancelled", await cancel(fixture, chainId), { chainId, interrupted: undefined });
      equal("no signal", refused("sent", await fixture.store.signal([toChain(chainId)], fixture.options())), {
        code: "chain-not-active",
        id: chainId,
        actual: "cancelled",
      });
      fixture.advance(1_000);
      equal("never claimed", await fixture.claim(["w"]), []);
      match("cancelled", await lastJob(fixture, chainId), { status: "cancelled", waits: undefined });
    }
  },

  "a chain that was cancelled while it waited waits again after a retry, until the same moment": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 }, collect: { go: 2 } });
    await sendNumber(fixture, chainId, 1);
    const { waits } = await lastJob(fixture, chainId);
    await cancel(fixture, chainId);
    fixture.advance(100);
    equal("waits again", await retry(fixture, chainId), "waiting");
    match("the same", await lastJob(fixture, chainId), { status: "waiting", waits });
    equal("nothing to claim", await fixture.claim(["w"]), []);
    equal("it goes on", await sendNumber(fixture, chainId, 2), "taken");
    equal("both", numbersOf((await fixture.claimOne("w")).received), [1, 2]);
  },

  "a chain that was cancelled while it waited runs after a retry if its time is over by then": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    await cancel(fixture, chainId);
    fixture.advance(500);
    equal("ready", await retry(fixture, chainId), "ready");
    equal("nothing came", (await fixture.claimOne("w")).received, []);
  },

  "a chain that was cancelled while it waited forever waits forever again": async (fixture) => {
    const chainId = await waitingChain(fixture);
    await cancel(fixture, chainId);
    equal("waits again", await retry(fixture, chainId), "waiting");
    const { status, waits } = await lastJob(fixture, chainId);
    equal("forever", [status, waits?.until], ["waiting", undefined]);
    fixture.advance(86_400_000);
    equal("nothing to claim", await fixture.claim(["w"]), []);
    await sendNumber(fixture, chainId, 1);
    equal("woken", numbersOf((await fixture.claimOne("w")).received), [1]);
  },

  "a job that was woken, cancelled and retried is ready with what it received": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    await sendNumber(fixture, chainId, 1);
    await cancel(fixture, chainId);
    equal("ready", await retry(fixture, chainId), "ready");
    equal("received", numbersOf((await fixture.claimOne("w")).received), [1]);
  },

  "a waiting step can be completed, continued and failed from outside": async (fixture) => {
    const [first, second, third] = [
      await waitingChain(fixture),
      await waitingChain(fixture, { until: { afterMs: 500 } }),
      await waitingChain(fixture),
    ];
    const step = (chainId: string) => ({ chainId, typeName: "w" });
    await fixture.settled(completed(step(first), "7"));
    match("completed", await fixture.chain(first), { status: "completed", output: "7" });
    await fixture.settled(continued(step(second), job("b")));
    match("continued", await lastJob(fixture, second), { typeName: "b", status: "ready" });
    await fixture.settled(failed(step(third)));
    match("failed", await fixture.chain(third), { status: "failed" });
    fixture.advance(1_000);
    equal("no wait is left", await fixture.claim(["w"]), []);
    equal("kept for a later step", await sendNumber(fixture, second, 1), "buffered");
  },

  "a waiting chain is deleted with its signals, and its topics with it": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 }, collect: { go: 2 }, topics: ["t"] });
    await sendNumber(fixture, chainId, 1, { signalId: "1" });
    accepted("deleted", await fixture.store.remove({ chainIds: [chainId], cascade: false }, fixture.options()));
    fixture.advance(1_000);
    equal("nothing to claim", await fixture.claim(["w"]), []);
    equal("no signals", await listed(fixture, chainId), []);
    const again = await fixture.startOne(waiting({}, { id: chainId }));
    equal("the id of a signal is free", await sendNumber(fixture, again.id, 2, { signalId: "1" }), "taken");
    equal("nothing else on record", (await listed(fixture, again.id)).length, 1);
  },

  "upkeep deletes the signals of a chain with the chain": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 1);
    await fixture.settled(completed(fence));
    fixture.advance(1_000);
    await fixture.store.maintain({ completedMs: 500, failedMs: 500, limit: 10 }, fixture.options());
    equal(
      "deleted",
      [await listed(fixture, chainId), (await fixture.store.getChains([chainId], fixture.options()))[0]],
      [[], undefined],
    );
  },

  "jobs that wait for the chain of a waiting job go on when it ends": async (fixture) => {
    const blocker = await fixture.startOne(waiting({ until: { afterMs: 500 } }));
    const inline = waiting();
    const [first, second] = await fixture.start([
      job("b", { blockers: [{ chainId: blocker.id, typeName: "w" }] }),
      job("b", { blockers: [{ start: inline }] }),
    ]);
    match("the inline one waits", await fixture.job(inline.id), { status: "waiting" });
    equal("both blocked", await fixture.claim(["b", "w"]), []);
    await sendAll(fixture, [toChain(blocker.id), toChain(inline.id)]);
    for (const held of await fixture.claim(["w"])) await fixture.settled(completed(held.fence, "1"));
    equal(
      "both go on",
      (await fixture.claim(["b"])).map(({ chainId }) => chainId).toSorted(),
      [first?.id ?? "", second?.id ?? ""].toSorted(),
    );
  },

  "a chain stores as many signals as its buffer has room for, and then what a job takes at once": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    for (let batch = 0; batch < tooLong / 1_000; batch += 1)
      await sendAll(
        fixture,
        Array.from({ length: 1_000 }, (_, at) =>
          toChain(chainId, { payload: String(batch * 1_000 + at), ...(at === 0 && { signalId: String(batch) }) }),
        ),
      );
    const { store, options } = fixture;
    equal("full", refused("one more", await store.signal([toChain(chainId)], options())), {
      code: "too-many-signals",
      id: chainId,
    });
    equal("one that is known is no more", await sendNumber(fixture, chainId, 1, { signalId: "3" }), "deduplicated");
    await fixture.settled(continued(fence, waiting()));
    const held = await fixture.claimOne("w");
    equal("the oldest", numbersOf(held.received), [0]);
    match("room for one", await send(fixture, toChain(chainId)), { delivered: "buffered" });
    equal(
      "full again",
      refused("one more", await store.signal([toChain(chainId)], options())).code,
      "too-many-signals",
    );
    await fixture.settled(continued(held.fence, waiting({}, { typeName: "other" })));
    equal("what is taken at once needs no room", await sendNumber(fixture, chainId, 1, { typeName: "other" }), "taken");
    holds("in pages", (await listed(fixture, chainId)).length === 1_000, undefined);
  },
});
