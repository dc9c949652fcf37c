import { equal, match, rejectsWith } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { inTime } from "./event-log.ts";

export const storeAwayCases = behaviours("with the store out of reach", {
  "a worker reports it, retries with backoff, and recovers by itself": async (fixture) => {
    const { client, clock, state, eventLog } = fixture;
    const lonely = await fixture.process();
    const worker = await lonely.work({ work: () => "back" }, { pollIntervalMs: 1_000 });
    lonely.state.away(true);
    const lost = inTime(
      "the loss is reported",
      eventLog.until("store-lost", (event) => event.type === "store-lost"),
    );
    await leapUntil(clock, 1_000, lost);
    match("its health", worker.health(), { status: "store-lost" });
    const before = lonely.state.calls.get("exchange") ?? 0;
    for (let minute = 0; minute < 60; minute += 1) {
      clock.leap(1_000);
      await clock.yield();
    }
    const tries = (lonely.state.calls.get("exchange") ?? 0) - before;
    equal("it keeps trying, with pauses", tries >= 3 && tries <= 60, true);
    const chain = await client.startChain({ typeName: "work", input: 1 });
    lonely.state.away(false);
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("back", (await leapUntil(clock, 1_000, ended)).output, "back");
    match("its health", worker.health(), { status: "running" });
    equal(
      "the recovery is reported",
      eventLog.count((event) => event.type === "store-restored"),
      1,
    );
    equal("the others saw nothing", state.calls.size > 0, true);
  },

  "what handlers returned meanwhile is settled later, once": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const lonely = await fixture.process();
    const begun = createGate();
    const go = createGate();
    let runs = 0;
    await lonely.work(
      {
        work: async () => {
          runs += 1;
          begun.open();
          await go.passed;
          return "kept";
        },
      },
      { leaseMs: 3_600_000 },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    lonely.state.away(true);
    go.open();
    await inTime(
      "the loss is reported",
      eventLog.until("store-lost", (event) => event.type === "store-lost"),
    );
    clock.leap(60_000);
    lonely.state.away(false);
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("handed in", (await leapUntil(clock, 5_000, ended)).output, "kept");
    equal("one run", runs, 1);
  },

  "a worker gives up a call that gets no reply, reports it, and recovers when the store replies": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const lonely = await fixture.process();
    const worker = await lonely.work({ work: () => "back" }, { pollIntervalMs: 1_000 });
    lonely.state.hang(true);
    const lost = eventLog.until("store-lost", (event) => event.type === "store-lost");
    await leapUntil(clock, 5_000, lost);
    match("its health", worker.health(), { status: "store-lost" });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    lonely.state.hang(false);
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("back", (await leapUntil(clock, 5_000, ended)).output, "back");
  },

  "calls reject with store-unavailable, and work again when it is back": async (fixture) => {
    const { client, state } = fixture;
    state.away(true);
    await rejectsWith("a start", client.startChain({ typeName: "idle", input: 1 }), "store-unavailable");
    await rejectsWith("a read", client.countJobs(), "store-unavailable");
    state.away(false);
    const chain = await client.startChain({ typeName: "idle", input: 2 });
    match("works again", await client.getChain({ id: chain.id }), { input: 2 });
  },

  "a caller that awaits a chain continues to wait, and gets the result when the store is back": async (fixture) => {
    const { client, clock } = fixture;
    const lonely = await fixture.process();
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const wait = inTime("the wait ends", lonely.client.awaitChain({ id: chain.id }));
    lonely.state.away(true);
    await client.completeChain({ id: chain.id, typeName: "idle", output: "meanwhile" });
    clock.leap(30_000);
    await clock.yield();
    lonely.state.away(false);
    equal("its output", (await leapUntil(clock, 5_000, wait)).output, "meanwhile");
  },

  "for one start only, that start rejects, and those that share its statement succeed": async (fixture) => {
    const { client, state } = fixture;
    state.chokeOn("poisonous");
    const calls = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        client.startChain({ typeName: "idle", input: index === 7 ? "poisonous" : index }),
      ),
    );
    equal(
      "one rejects",
      calls.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [7],
    );
    equal("the others are started", (await client.countJobs()).idle?.ready, 19);
  },

  "for one outcome only, that attempt fails, and those handed in with it succeed": async (fixture) => {
    const { client } = fixture;
    const lonely = await fixture.process();
    lonely.state.chokeOn("poisonous");
    const go = createGate();
    let begun = 0;
    await lonely.work(
      {
        work: {
          retry: { maxAttempts: 1 },
          handler: async ({ job }) => {
            begun += 1;
            if (begun === 8) go.open();
            await go.passed;
            return job.input === 3 ? "poison".concat("ous") : "fine";
          },
        },
      },
      { concurrency: 8 },
    );
    const chains = await client.startChains({
      items: Array.from({ length: 8 }, (_, index) => ({ typeName: "work", input: index }) as const),
    });
    for (const chain of chains) {
      const end = inTime("it ends", client.awaitChain(chain));
      if (chain.input === 3) await rejectsWith("the poisonous one", end, "chain-failed");
      else equal("the others", (await end).output, "fine");
    }
  },
});
