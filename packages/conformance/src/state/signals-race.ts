import { createBarrier } from "../barrier.ts";
import { equal, holds, match } from "../check.ts";
import { completed, continued, job } from "./build.ts";
import { rules } from "./group.ts";
import { complete, declare, limitOf, places, take } from "./limiting.ts";
import { pause, resume } from "./pausing.ts";
import type { StateFixture } from "./fixture.ts";
import {
  lastJob,
  listed,
  numbersOf,
  running,
  send,
  sendAll,
  sendNumber,
  toChain,
  toTopic,
  untaken,
  waiting,
  waitingChain,
} from "./signalling.ts";

const rounds = 40;

class RolledBack extends Error {}

/** Runs two calls, in two transactions or without, that begin at the same time. */
async function both(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  await Promise.all([first(), second()]);
}

/** Whether a chain's job has been woken by one signal, or waits and has none. */
async function isConsistent(fixture: StateFixture, chainId: string): Promise<boolean> {
  const { status, received = [] } = await lastJob(fixture, chainId);
  const left = await untaken(fixture, chainId);
  return status === "waiting" ? left.length === 0 : received.length <= 1;
}

/** Signals in transactions, at the same time as others, and beside limits and pauses. */
export const signalRaceCases = rules("signals", {
  "a signal in a transaction that rolls back never was (E7)": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    const run = fixture.store.transaction(async (tx) => {
      await send(fixture, toChain(chainId, { signalId: "1" }), tx);
      await send(fixture, toTopic("t", 10_000, { signalId: "p" }), tx);
      throw new RolledBack();
    });
    await run.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    equal("not on record", await listed(fixture, chainId), []);
    match("still waiting", await lastJob(fixture, chainId), { status: "waiting", received: [] });
    equal("the id is free", await sendNumber(fixture, chainId, 1, { signalId: "1" }), "taken");
    await fixture.startOne(waiting({ topics: ["t"] }, { typeName: "w2" }));
    equal("the publication is not kept", await fixture.claim(["w2"]), []);
  },

  "a signal in a transaction counts from its commit on": async (fixture) => {
    const chainId = await waitingChain(fixture);
    await fixture.transact(async (tx) => {
      equal("taken", (await send(fixture, toChain(chainId), tx)).delivered, "taken");
      equal(
        "seen inside",
        (await fixture.store.listSignals({ chainId, after: undefined, limit: 1 }, fixture.options(tx))).length,
        1,
      );
    });
    equal("woken", (await fixture.claim(["w"])).length, 1);
  },

  "a wait that begins in a transaction that rolls back takes nothing": async (fixture) => {
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 1);
    const run = fixture.store.transaction(async (tx) => {
      await fixture.settled(continued(fence, waiting()), tx);
      throw new RolledBack();
    });
    await run.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    equal("left", await untaken(fixture, chainId), [1]);
    await fixture.settled(continued(fence, waiting()));
    equal("taken now", numbersOf((await fixture.claimOne("w")).received), [1]);
  },

  "a signal and the start of its wait, at the same time: the job never waits beside it (E2)": async (fixture) => {
    for (let round = 0; round < rounds; round += 1) {
      const { fence, chainId } = await running(fixture);
      const other = await fixture.connect();
      const until = round % 2 === 0 ? undefined : { afterMs: 60_000 };
      await both(
        () => fixture.insist(() => fixture.settle(continued(fence, waiting({ until })))),
        () => fixture.insist(() => send(other, toChain(chainId))),
      );
      const held = await fixture.claimOne("w");
      equal("woken by it", held.received?.length, 1);
      await fixture.settled(completed(held.fence));
    }
  },

  "a signal and the start of its wait in overlapping transactions meet, whichever commits first (E2)": async (
    fixture,
  ) => {
    for (let round = 0; round < 10; round += 1) {
      const { fence, chainId } = await running(fixture);
      const other = await fixture.connect();
      const barrier = createBarrier(2);
      await both(
        () =>
          fixture.transact(async (tx) => {
            if (round % 2 === 0) await barrier();
            await fixture.settled(continued(fence, waiting()), tx);
            if (round % 2 === 1) await barrier();
          }),
        () =>
          other.transact(async (tx) => {
            if (round % 2 === 1) await barrier();
            await send(other, toChain(chainId), tx);
            if (round % 2 === 0) await barrier();
          }),
      );
      const held = await fixture.claimOne("w");
      equal("woken by it", held.received?.length, 1);
      await fixture.settled(completed(held.fence));
    }
  },

  "many signals at the same time: each is taken once, in the order of their positions (E1, E4)": async (fixture) => {
    const chainId = await waitingChain(fixture, { collect: { go: 5 } });
    const others = await Promise.all([fixture.connect(), fixture.connect(), fixture.connect()]);
    await Promise.all(
      Array.from({ length: 12 }, (_, value) => {
        const from = others[value % 3] ?? fixture;
        return from.insist(() => sendNumber(from, chainId, value));
      }),
    );
    const held = await fixture.claimOne("w");
    const record = await listed(fixture, chainId);
    equal(
      "twelve",
      record.map(({ payload }) => Number(payload)).toSorted((a, b) => a - b),
      Array.from({ length: 12 }, (_, value) => value),
    );
    equal(
      "the first five",
      numbersOf(held.received),
      record.slice(0, 5).map(({ payload }) => Number(payload)),
    );
    equal("seven are left", (await untaken(fixture, chainId)).length, 7);
  },

  "the same signal id at the same time has one effect (E5)": async (fixture) => {
    const chainId = await waitingChain(fixture, { collect: { go: 2 } });
    const others = await Promise.all([fixture.connect(), fixture.connect()]);
    const delivered = await Promise.all(
      [fixture, ...others].map((from) => from.insist(() => sendNumber(from, chainId, 1, { signalId: "x" }))),
    );
    equal("one", delivered.toSorted(), ["deduplicated", "deduplicated", "taken"]);
    equal("still waiting", await fixture.claim(["w"]), []);
  },

  "signals to the same chains in opposite orders do not stop each other": async (fixture) => {
    const [a, b] = [
      await waitingChain(fixture, { collect: { go: 100 } }),
      await waitingChain(fixture, { collect: { go: 100 } }),
    ];
    const other = await fixture.connect();
    for (let round = 0; round < 10; round += 1) {
      await both(
        () => fixture.insist(() => sendAll(fixture, [toChain(a), toChain(b)])),
        () => other.insist(() => sendAll(other, [toChain(b), toChain(a)])),
      );
    }
    equal("all", [(await listed(fixture, a)).length, (await listed(fixture, b)).length], [20, 20]);
  },

  "a publication and the start of a wait for its topic, at the same time: it is never missed (E9)": async (fixture) => {
    for (let round = 0; round < rounds; round += 1) {
      const topic = `topic ${round}`;
      const other = await fixture.connect();
      const { fence } = await running(fixture);
      await both(
        () => fixture.insist(() => fixture.settle(continued(fence, waiting({ topics: [topic] })))),
        () => other.insist(() => send(other, toTopic(topic, 60_000, { signalId: topic }))),
      );
      const held = await fixture.claimOne("w");
      equal(
        "once",
        held.received?.map(({ signalId }) => signalId),
        [topic],
      );
      await fixture.settled(completed(held.fence));
    }
  },

  "a signal and the end of the time, at the same time: exactly one wakes the job (E3)": async (fixture) => {
    for (let round = 0; round < rounds; round += 1) {
      const chainId = await waitingChain(fixture, { until: { afterMs: 10 } });
      const other = await fixture.connect();
      fixture.advance(10);
      let delivered = "";
      let claimed: readonly { readonly received?: readonly unknown[] | undefined }[] = [];
      await both(
        async () => (claimed = await fixture.insist(() => fixture.claim(["w"]))),
        async () => (delivered = await other.insist(() => sendNumber(other, chainId, 1))),
      );
      // A claim that did not see it because the signal had it locked sees it now.
      const more = await fixture.claim(["w"]);
      equal("claimed once", claimed.length + more.length, 1);
      const [held] = [...claimed, ...more];
      equal("as it was said", held?.received?.length, delivered === "taken" ? 1 : 0);
      equal("else it is kept", (await untaken(fixture, chainId)).length, delivered === "taken" ? 0 : 1);
    }
  },

  "a signal and a cancellation at the same time: the signal is refused, or stays with the chain": async (fixture) => {
    for (let round = 0; round < 20; round += 1) {
      const chainId = await waitingChain(fixture);
      const other = await fixture.connect();
      await both(
        () => fixture.insist(() => fixture.store.cancel([{ chainId, reason: undefined }], fixture.options())),
        () => other.insist(() => other.store.signal([toChain(chainId)], other.options())),
      );
      match("cancelled", await fixture.chain(chainId), { status: "cancelled" });
      holds("consistent", await isConsistent(fixture, chainId), chainId);
      equal("nothing to claim", await fixture.claim(["w"]), []);
    }
  },

  "a waiting job under a limit holds no place, and enters its lane when it is woken": async (fixture) => {
    await declare(fixture, { tenant: places(1) });
    const limits = [{ limit: "tenant", key: "acme" }];
    const woken = await fixture.startOne(waiting({}, { limits }));
    const late = await fixture.startOne(waiting({ until: { afterMs: 500 } }, { limits }));
    await fixture.startOne(job("a", { limits }));
    const [held] = await take(fixture, ["a", "w"]);
    equal("the other", held?.typeName, "a");
    equal("taken", await sendNumber(fixture, woken.id, 1), "taken");
    equal("full", await take(fixture, ["w"]), []);
    match("it waits for a place", await limitOf(fixture, "tenant", "acme"), { running: 1, waiting: 1 });
    if (held !== undefined) await complete(fixture, held);
    const [next] = await take(fixture, ["w"]);
    equal("it", [next?.id, numbersOf(next?.received)], [woken.id, [1]]);
    fixture.advance(500);
    equal("full", await take(fixture, ["w"]), []);
    if (next !== undefined) await complete(fixture, next);
    const [last] = await take(fixture, ["w"]);
    equal("after its time", [last?.id, last?.received], [late.id, []]);
  },

  "a job of a paused type can be woken, and runs once its type is resumed": async (fixture) => {
    const chainId = await waitingChain(fixture, { until: { afterMs: 500 } });
    await pause(fixture, "w");
    equal("taken", await sendNumber(fixture, chainId, 1), "taken");
    equal("paused", await fixture.claim(["w"]), []);
    await resume(fixture, "w");
    equal("runs", numbersOf((await fixture.claimOne("w")).received), [1]);
  },
});
