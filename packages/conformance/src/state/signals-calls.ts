import { equal, match } from "../check.ts";
import { completed, job, newId } from "./build.ts";
import { refused } from "./fixture.ts";
import { rules } from "./group.ts";
import { lastJob, listed, running, sendAll, sendNumber, toChain, untaken, waitingChain } from "./signalling.ts";

/** Calls with several signals, those that are refused, and the list of the signals of a chain. */
export const signalCallCases = rules("signals", {
  "signals go to chains that are active": async (fixture) => {
    const id = newId();
    const { store, options } = fixture;
    equal("none", refused("unknown", await store.signal([toChain(id)], options())), { code: "chain-not-found", id });
    const { id: ended } = await fixture.completedChain(job("a"));
    equal("ended", refused("ended", await store.signal([toChain(ended)], options())), {
      code: "chain-not-active",
      id: ended,
      actual: "completed",
    });
    const chainId = await waitingChain(fixture);
    const { id: stepId } = await lastJob(fixture, chainId);
    equal(
      "a later step is no chain",
      refused("step", await store.signal([toChain(stepId)], options())).code,
      "chain-not-found",
    );
  },

  "a call with a signal that is refused delivers none of its signals": async (fixture) => {
    const chainId = await waitingChain(fixture);
    const { store, options } = fixture;
    const reply = await store.signal([toChain(chainId, { signalId: "1" }), toChain(newId())], options());
    equal("refused", refused("the call", reply).code, "chain-not-found");
    equal("nothing on record", await listed(fixture, chainId), []);
    equal("still waiting", await fixture.claim(["w"]), []);
    equal("the id is free", await sendNumber(fixture, chainId, 1, { signalId: "1" }), "taken");
  },

  "one call signals many chains, in any order of their ids": async (fixture) => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push(await waitingChain(fixture));
    const shuffled = ids.toSorted().toReversed();
    const replies = await sendAll(
      fixture,
      shuffled.map((id) => toChain(id)),
    );
    equal(
      "each wakes its own",
      replies.map(({ woken }) => woken.map(({ chainId }) => chainId)),
      shuffled.map((id) => [id]),
    );
    equal("all are claimed", (await fixture.claim(["w"])).length, 20);
  },

  "a chain that ends with signals that no job has taken reports them, and keeps them on its list (E1)": async (
    fixture,
  ) => {
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 1);
    await sendNumber(fixture, chainId, 2);
    const { unused } = await fixture.settled(completed(fence));
    equal("reported", unused, [{ chainId, count: 2 }]);
    equal("listed", await untaken(fixture, chainId), [1, 2]);
    const plain = await running(fixture);
    equal("a chain without signals", (await fixture.settled(completed(plain.fence))).unused ?? [], []);
  },

  "signals are listed in the order of their positions, page by page": async (fixture) => {
    const { chainId } = await running(fixture);
    for (let value = 1; value <= 5; value += 1) await sendNumber(fixture, chainId, value);
    const first = await fixture.store.listSignals({ chainId, after: undefined, limit: 3 }, fixture.options());
    const second = await fixture.store.listSignals(
      { chainId, after: first.at(-1)?.position, limit: 3 },
      fixture.options(),
    );
    equal(
      "pages",
      [first, second].map((page) => page.map(({ payload }) => payload)),
      [
        ["1", "2", "3"],
        ["4", "5"],
      ],
    );
    match("whole", first[0] ?? {}, {
      chainId,
      typeName: "w",
      signal: "go",
      at: fixture.now(),
      takenBy: undefined,
      signalId: undefined,
      context: undefined,
    });
    equal("an unknown chain", await listed(fixture, newId()), []);
  },
});
