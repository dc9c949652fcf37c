import { equal, match, only } from "../check.ts";
import { continued, job } from "./build.ts";
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
  sent,
  toChain,
  toTopic,
  untaken,
  waiting,
  waitingChain,
} from "./signalling.ts";

const key = { key: "k", scope: "active", windowMs: undefined } as const;

async function publish(fixture: StateFixture, id: number, keepMs = 0, topic = "t") {
  return await send(fixture, toTopic(topic, keepMs, { signalId: `p${id}`, payload: String(id) }));
}

/** Publications to topics, and starts that bring signals. */
export const signalTopicCases = rules("signals", {
  "a publication reaches each job that waits for its topic, once (E9)": async (fixture) => {
    const waits = { topics: ["t", "u"] };
    const chains = [
      await waitingChain(fixture, waits),
      await waitingChain(fixture, { topics: ["t"] }),
      (await fixture.startOne(waiting(waits))).id,
    ];
    await waitingChain(fixture, { topics: ["other"] });
    await waitingChain(fixture);
    const reply = await publish(fixture, 1);
    equal("three", [reply.delivered, reply.reached], ["taken", 3]);
    equal("woken", reply.woken.map(({ chainId }) => chainId).toSorted(), chains.toSorted());
    const held = await fixture.claim(["w"]);
    equal(
      "each",
      held.map(({ received }) => numbersOf(received)),
      [[1], [1], [1]],
    );
    equal("no one waits any more", (await publish(fixture, 2, 0, "u")).reached, 0);
  },

  "a publication reaches jobs of its own type only": async (fixture) => {
    await fixture.startOne(waiting({ topics: ["t"] }, { typeName: "other" }));
    match("no one", await publish(fixture, 1), { delivered: "taken", woken: [], reached: 0 });
    equal("not woken", await fixture.claim(["other"]), []);
  },

  "a publication that is kept reaches the jobs that begin to wait before its time is over (E9)": async (fixture) => {
    match("no one yet", await publish(fixture, 1, 500), { reached: 0 });
    fixture.advance(499);
    const { chainId } = await fixture.startOne(waiting({ topics: ["t"] })).then(({ id }) => ({ chainId: id }));
    const first = await fixture.claimOne("w");
    equal("it", [first.chainId, numbersOf(first.received)], [chainId, [1]]);
    equal(
      "when it was published",
      first.received?.map(({ at }) => at),
      [fixture.now() - 499],
    );
    fixture.advance(1);
    await fixture.startOne(waiting({ topics: ["t"] }));
    equal("too late", await fixture.claim(["w"]), []);
  },

  "a publication that is not kept is over when its call has returned": async (fixture) => {
    await publish(fixture, 1);
    await fixture.startOne(waiting({ topics: ["t"] }));
    equal("missed", await fixture.claim(["w"]), []);
  },

  "a chain gets a publication once, however often its jobs wait for the topic (E9)": async (fixture) => {
    const chainId = await waitingChain(fixture, { topics: ["t"] });
    await publish(fixture, 1, 10_000);
    await publish(fixture, 2, 10_000);
    const seen: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const held = await fixture.claimOne("w");
      seen.push(...numbersOf(held.received));
      await fixture.settled(continued(held.fence, waiting({ topics: ["t"] })));
    }
    equal("each once", seen, [1, 2]);
    equal("it waits", await fixture.claim(["w"]), []);
    match("the same again", await publish(fixture, 2), { delivered: "taken", reached: 0, woken: [] });
    equal(
      "on record",
      (await listed(fixture, chainId)).map(({ signalId }) => signalId),
      ["p1", "p2"],
    );
  },

  "a job that begins to wait gets all that is kept, and what it does not take stays with its chain": async (
    fixture,
  ) => {
    await publish(fixture, 1, 1_000);
    await publish(fixture, 2, 500);
    await publish(fixture, 3, 1_000, "u");
    const { fence, chainId } = await running(fixture);
    await sendNumber(fixture, chainId, 0);
    await fixture.settled(continued(fence, waiting({ topics: ["t", "u"] })));
    const held = await fixture.claimOne("w");
    equal("the chain's own first", numbersOf(held.received), [0]);
    equal("the others stay", await untaken(fixture, chainId), [1, 2, 3]);
    fixture.advance(2_000);
    await fixture.settled(continued(held.fence, waiting()));
    equal("also when they are kept no longer", numbersOf((await fixture.claimOne("w")).received), [1]);
  },

  "a publication counts like a signal for what a wait collects": async (fixture) => {
    const chainId = await waitingChain(fixture, { topics: ["t"], collect: { go: 3 } });
    await publish(fixture, 1);
    await sendNumber(fixture, chainId, 2);
    equal("still waiting", await fixture.claim(["w"]), []);
    await publish(fixture, 3);
    equal("all", numbersOf((await fixture.claimOne("w")).received), [1, 2, 3]);
  },

  "a job whose wait has ended gets no more publications": async (fixture) => {
    const [signalled, late, cancelled] = [
      await waitingChain(fixture, { topics: ["t"] }),
      await waitingChain(fixture, { topics: ["t"], until: { afterMs: 500 } }),
      await waitingChain(fixture, { topics: ["t"] }),
    ];
    await sendNumber(fixture, signalled, 0);
    await fixture.store.cancel([{ chainId: cancelled, reason: undefined }], fixture.options());
    fixture.advance(500);
    equal("two ended by themselves", (await fixture.claim(["w"])).length, 2);
    match("no one", await publish(fixture, 1), { reached: 0 });
    equal("nothing kept", [await untaken(fixture, signalled), await untaken(fixture, late)], [[], []]);
  },

  "upkeep forgets publications that are kept no longer, and no others": async (fixture) => {
    await publish(fixture, 1, 500);
    await publish(fixture, 2, 5_000);
    fixture.advance(600);
    await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 10 }, fixture.options());
    await fixture.startOne(waiting({ topics: ["t"], collect: { go: 9 } }));
    const { id } = only("it", await fixture.store.listJobs(everyWaiting, fixture.options()));
    equal("the second", numbersOf((await fixture.job(id)).received), [2]);
  },

  "a chain that was cancelled while it waited for a topic gets after a retry what was kept meanwhile": async (
    fixture,
  ) => {
    const chainId = await waitingChain(fixture, { topics: ["t"], collect: { go: 2 } });
    await publish(fixture, 1, 1_000);
    await fixture.store.cancel([{ chainId, reason: undefined }], fixture.options());
    await publish(fixture, 2, 1_000);
    accepted(
      "retried",
      await fixture.store.retry([{ chainId, input: undefined, typeName: undefined }], fixture.options()),
    );
    equal("each once", numbersOf((await fixture.claimOne("w")).received), [1, 2]);
  },

  "a chain can begin with a job that waits": async (fixture) => {
    const { id, jobs } = await fixture.startOne(waiting({ until: { afterMs: 500 } }));
    match("its job", only("one job", jobs), { jobId: id, status: "waiting", dueInMs: 500 });
    match("active", await fixture.chain(id), { status: "active" });
    equal("taken", await sendNumber(fixture, id, 1), "taken");
    equal("received", numbersOf((await fixture.claimOne("w")).received), [1]);
  },

  "a start can bring signals, which reach the new chain before its job waits": async (fixture) => {
    const signals = [sent({ payload: "1" }), sent({ payload: "2" }), sent({ typeName: "later", payload: "3" })];
    const { id, jobs, signalled } = await fixture.startOne(waiting({}, { signals }));
    match("ready", only("one job", jobs), { status: "ready" });
    equal(
      "delivered",
      signalled?.map(({ delivered, woken }) => [delivered, woken.length]),
      [
        ["taken", 0],
        ["buffered", 0],
        ["buffered", 0],
      ],
    );
    equal("received", numbersOf((await fixture.claimOne("w")).received), [1]);
    equal("left", await untaken(fixture, id), [2, 3]);
    const other = await fixture.startOne(job("a", { signals: [sent({ payload: "4" })] }));
    match("a first job that does not wait", only("one job", other.jobs), { status: "ready" });
    equal("kept", await untaken(fixture, other.id), [4]);
  },

  "a start with a key that an active chain holds signals that chain": async (fixture) => {
    const begin = (payload: string, signalId?: string) =>
      fixture.startOne(waiting({ collect: { go: 3 } }, { deduplication: key, signals: [sent({ payload, signalId })] }));
    const first = await begin("1");
    match("the new chain", first, { deduplicated: false });
    const second = await begin("2", "x");
    match("the same chain", second, { id: first.id, deduplicated: true, jobs: [] });
    equal(
      "taken",
      second.signalled?.map(({ delivered }) => delivered),
      ["taken"],
    );
    equal(
      "once",
      (await begin("9", "x")).signalled?.map(({ delivered }) => delivered),
      ["deduplicated"],
    );
    const third = await begin("3");
    equal(
      "woken",
      third.signalled?.flatMap(({ woken }) => woken.map(({ chainId }) => chainId)),
      [first.id],
    );
    equal("all", numbersOf((await fixture.claimOne("w")).received), [1, 2, 3]);
    equal(
      "kept while it runs",
      (await begin("4")).signalled?.map(({ delivered }) => delivered),
      ["buffered"],
    );
  },

  "a start with signals and a key that an ended chain holds begins a new chain, which takes the key over": async (
    fixture,
  ) => {
    const any = { ...key, scope: "any" } as const;
    const begin = (details = {}) => fixture.startOne(waiting({}, { deduplication: any, ...details }));
    const first = await begin();
    await fixture.store.cancel([{ chainId: first.id, reason: undefined }], fixture.options());
    match("without signals", await begin(), { id: first.id, deduplicated: true, status: "cancelled" });
    const second = await begin({ signals: [sent()] });
    match("with signals", second, { deduplicated: false, status: "active" });
    match("the key is the new one's", await begin(), { id: second.id, deduplicated: true });
  },

  "a start whose signals are refused writes nothing": async (fixture) => {
    const chain = await fixture.startOne(job("a", { deduplication: key }));
    for (let batch = 0; batch < 10; batch += 1)
      await sendAll(
        fixture,
        Array.from({ length: 1_000 }, () => toChain(chain.id)),
      );
    const other = job("b");
    const start = job("a", { deduplication: key, signals: [sent()] });
    const reply = only("one reply", await fixture.store.start([{ starts: [other, start] }], fixture.options()));
    equal("refused", refused("the start", reply), { code: "too-many-signals", id: chain.id });
    equal("nothing written", (await fixture.store.getChains([other.id], fixture.options()))[0], undefined);
  },

  "a waiting job of a version and a pool is woken for the workers that serve them": async (fixture) => {
    const own = { version: 2, pool: "gpu" };
    const { fence, chainId } = await running(fixture);
    await fixture.settled(continued(fence, waiting({ until: { afterMs: 500 } }, own)));
    const { woken } = await send(fixture, toChain(chainId));
    match("named", only("one job", woken), { typeName: "w" });
    equal("not for others", await fixture.claim(["w"]), []);
    match("for those", await fixture.claimOne("w", own), own);
    match("with a name of its own", await lastJob(fixture, chainId), { version: 2, pool: "gpu", status: "running" });
  },
});

const everyWaiting = {
  after: undefined,
  limit: 10,
  order: "ascending",
  typeNames: ["w"],
  statuses: ["waiting"],
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  chainId: undefined,
  blockedBy: undefined,
} as const;
