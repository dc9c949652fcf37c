import { equal, holds, match, rejectsWith } from "../check.ts";
import { abortOf, createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { processorsOf } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";
import { createWorker } from "chainwright";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

/** On a busy machine the clock leaps past the end of a lease before its renewal is answered. */
const longerThanTheStop = 600_000;

export const stopCases = behaviours("stopping", {
  "lets running handlers end, and settles their results": async (fixture) => {
    const { client } = fixture;
    const begun = createGate();
    const go = createGate();
    const worker = await fixture.work({
      work: async () => {
        begun.open();
        await go.passed;
        return "in peace";
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    const stopped = worker.stop({ timeoutMs: 60_000 });
    go.open();
    await inTime("it stops", stopped);
    match("handed in", await client.getChain({ id: chain.id }), { status: "completed", output: "in peace" });
  },

  "takes no more work": async (fixture) => {
    const { client } = fixture;
    const worker = await fixture.work({ work: () => null });
    await inTime("it stops", worker.stop());
    const chain = await client.startChain({ typeName: "work", input: 1 });
    fixture.clock.leap(120_000);
    await fixture.clock.yield();
    match("left", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
  },

  "returns claimed jobs that have not begun at once, and their attempts do not count": async (fixture) => {
    const { client } = fixture;
    const go = createGate();
    const begun: unknown[] = [];
    let quick = 0;
    // Quick jobs make it claim ahead; then all slots are taken and the rest waits.
    const worker = await fixture.work(
      {
        work: async ({ job }) => {
          if (job.input === "quick") return (quick += 1);
          begun.push(job.id);
          await go.passed;
          return "slow";
        },
      },
      { concurrency: 2, prefetch: 50 },
    );
    const ids = await client.startChains({
      items: Array.from(
        { length: 60 },
        (_, index) => ({ typeName: "work", input: index < 40 ? "quick" : "slow" }) as const,
      ),
    });
    await eventually("it is busy", () => begun.length === 2);
    const stopped = worker.stop({ timeoutMs: 60_000 });
    await eventually(
      "given back before the handlers end",
      async () => ((await client.countJobs()).work?.running ?? 0) <= 2,
    );
    const jobs = await Promise.all(ids.slice(40).map((chain) => client.getJob({ id: firstJobIdOf(chain) })));
    const waiting = jobs.filter((job) => job?.status === "ready");
    equal("eighteen", waiting.length, 18);
    for (const job of waiting) match("not counted", job, { attempt: 0, errors: [] });
    go.open();
    await inTime("it stops", stopped);
    equal("quick ones", quick, 40);
  },

  "after its time limit aborts handlers and returns their jobs, and their attempts do not count": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const codes: string[] = [];
    const work = async ({ signal }: { readonly signal: AbortSignal }) => {
      begun.open();
      codes.push(await abortOf(signal));
      throw new Error("stopped half-way");
    };
    const worker = await fixture.work({ work }, { leaseMs: longerThanTheStop });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await leapUntil(clock, 10_000, inTime("it stops", worker.stop({ timeoutMs: 30_000 })));
    equal("its signal", codes, ["worker-stopping"]);
    match("given back", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0, errors: [] });
    await fixture.work({ work: ({ job }) => job.attempt });
    equal("the first attempt again", (await inTime("it ends", client.awaitChain(chain))).output, 1);
  },

  "ends in time even when a handler never does": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const worker = await fixture.work(
      { work: () => (begun.open(), new Promise(() => {})) },
      { leaseMs: longerThanTheStop },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await leapUntil(clock, 10_000, inTime("it stops", worker.stop({ timeoutMs: 30_000 })));
    match("given back", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
  },

  "ends in time even with the store out of reach": async (fixture) => {
    const { client, clock } = fixture;
    const lonely = await fixture.process();
    const begun = createGate();
    const worker = await lonely.work({ work: () => (begun.open(), new Promise(() => {})) }, { leaseMs: 5_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    lonely.state.away(true);
    await leapUntil(clock, 10_000, inTime("it stops", worker.stop({ timeoutMs: 30_000 })));
    await fixture.work({ work: ({ job }) => job.attempt });
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("its lease ran out by itself", (await leapUntil(clock, 5_000, ended)).output, 2);
  },

  "happens once when stop is called twice, before a start, or at the same time": async (fixture) => {
    const worker = await fixture.work({ work: () => null });
    await inTime("it stops", Promise.all([worker.stop(), worker.stop({ timeoutMs: 0 })]));
    await worker.stop();
    equal(
      "one farewell",
      fixture.eventLog.count((event) => event.type === "worker-stopped"),
      1,
    );
  },

  "a later call that leaves less time counts, and both resolve": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const worker = await fixture.work({ work: () => (begun.open(), new Promise(() => {})) });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    const calls = [worker.stop({ timeoutMs: Infinity }), worker.stop({ timeoutMs: 1_000 }), worker.stop()];
    await leapUntil(clock, 2_000, inTime("all resolve", Promise.all(calls)));
    match("given back", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
  },

  "a worker whose client is closed first continues, and is woken as before, until it stops": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    const worker = await elsewhere.work({ work: () => "done" }, { pollIntervalMs: 60_000 });
    await elsewhere.client.close();
    if (fixture.notify !== undefined) {
      const chain = await client.startChain({ typeName: "work", input: 1 });
      equal("it runs", (await inTime("it ends", client.awaitChain(chain))).output, "done");
    }
    match("its health", worker.health(), { status: "running" });
    equal("it still listens", elsewhere.notify?.subscriptions(), elsewhere.notify && 1);
    await inTime("it stops", worker.stop());
    await eventually("nothing listens any more", () => (elsewhere.notify?.subscriptions() ?? 0) === 0);
  },

  "a worker whose client was closed before it began does not start": async (fixture) => {
    const elsewhere = await fixture.process();
    const processors = [processorsOf(elsewhere.client, { work: () => "done" })];
    const worker = createWorker({ client: elsewhere.client, processors });
    await elsewhere.client.close();
    await rejectsWith("refused", worker.start(), "closed");
    const another = async () => createWorker({ client: elsewhere.client, processors });
    await rejectsWith("nor is one made", another(), "closed");
    await worker.stop();
  },

  "rolls back the open transaction of a handler, and leaves the store usable": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const worker = await fixture.work({
      work: async ({ prepare, signal, complete }) => {
        await prepare({ mode: "atomic" }, ({ tx }) => client.startChain({ tx, typeName: "idle", input: 1 }));
        begun.open();
        await abortOf(signal);
        return complete(() => "too late");
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await leapUntil(clock, 10_000, inTime("it stops", worker.stop({ timeoutMs: 30_000 })));
    equal("rolled back", (await client.countJobs()).idle, undefined);
    const back = await client.getJob({ id: firstJobIdOf(chain) });
    holds("given back, or run out", back?.status === "ready", back);
  },
});
