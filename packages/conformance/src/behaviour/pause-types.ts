import { equal, holds, match, only, rejected, rejectsWith } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import type { AppFixture } from "./fixture.ts";
import { firstJobIdOf } from "./first-job.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";

const names = { typeNames: ["work"] } as const;

/** Waits until the worker at rest has heard of the pause: its second heartbeat begins after the reply to the first one. */
async function heard({ clock, state }: AppFixture): Promise<void> {
  const sent = (): number => state.calls.get("heartbeat") ?? 0;
  const before = sent();
  await leapUntil(
    clock,
    61_000,
    eventually("two heartbeats", () => sent() >= before + 2),
  );
}

export const pauseTypesCases = behaviours("pausing types", {
  "no job of a paused type begins on any worker, others do, and a resume wakes all": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    const begun: unknown[] = [];
    const handlers = {
      work: ({ job }: { readonly job: { readonly input: unknown } }) => void begun.push(job.input),
      next: () => "ran",
    };
    await fixture.work(handlers);
    await elsewhere.work(handlers);
    await elsewhere.client.pauseJobTypes(names);
    const paused = await client.startChains({
      items: [1, 2, 3].map((input) => ({ typeName: "work", input }) as const),
    });
    const other = await client.startChain({ typeName: "next", input: 1 });
    equal("the other type", (await inTime("it ends", client.awaitChain(other))).output, "ran");
    await heard(fixture);
    equal("none has begun", begun, []);
    match("counted as ready", (await client.countJobs()).work, { ready: 3, running: 0 });
    await elsewhere.client.resumeJobTypes(names);
    const ended = Promise.all(paused.map((chain) => inTime("it ends", client.awaitChain(chain))));
    // A worker without a notify adapter may have to wait for its next heartbeat.
    await (fixture.notify === undefined ? leapUntil(fixture.clock, 1_000, ended) : ended);
    equal("all", begun.length, 3);
  },

  "a running attempt of a paused type ends, and a failed one is retried after the pause": async (fixture) => {
    const { client, clock } = fixture;
    const [begun, go] = [createGate(), createGate()];
    await fixture.work({
      work: {
        retry: { maxAttempts: 2, backoff: { initialMs: 10 } },
        handler: async ({ job }) => {
          if (job.attempt === 2) return "second";
          begun.open();
          await go.passed;
          throw new Error("once");
        },
        // Longer than the leaps below.
        leaseMs: 86_400_000,
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await client.pauseJobTypes(names);
    await heard(fixture);
    match("it runs on", await client.getJob({ id: firstJobIdOf(chain) }), { status: "running", attempt: 1 });
    go.open();
    await fixture.eventLog.until("it is retried", ({ type }) => type === "job-retried");
    clock.leap(60_000);
    await clock.yield();
    match("it waits", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 1 });
    await client.resumeJobTypes(names);
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("after the pause", (await leapUntil(clock, 1_000, ended)).output, "second");
  },

  "gives back the jobs that have not begun, and their attempts do not count": async (fixture) => {
    const { client } = fixture;
    const go = createGate();
    let begun = 0;
    // Quick jobs make the worker claim ahead; then all slots are taken and the rest waits.
    await fixture.work(
      {
        work: async ({ job }) => {
          if (job.input === "quick") return "quick";
          begun += 1;
          await go.passed;
          return "slow";
        },
      },
      { concurrency: 2, prefetch: 50 },
    );
    const chains = await client.startChains({
      items: Array.from(
        { length: 60 },
        (_, index) => ({ typeName: "work", input: index < 40 ? "quick" : "slow" }) as const,
      ),
    });
    await eventually("it is busy", () => begun === 2);
    await client.pauseJobTypes(names);
    await eventually("given back", async () => (await client.countJobs()).work?.running === 2);
    equal("no more have begun", begun, 2);
    go.open();
    await client.resumeJobTypes(names);
    for (const chain of chains) {
      await inTime("it ends", client.awaitChain(chain));
      match("one attempt", await client.getJob({ id: firstJobIdOf(chain) }), { attempt: 1 });
    }
  },

  "a pause with a time ends by itself: idle workers look when it is over": async (fixture) => {
    const { client, clock } = fixture;
    await fixture.work({ work: () => "ran" }, { pollIntervalMs: 60_000 });
    await client.pauseJobTypes({ ...names, forMs: 30_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    clock.leap(15_000);
    await clock.yield();
    match("half", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("over", (await leapUntil(clock, 5_000, ended)).output, "ran");
    equal("none", await client.listPausedTypes(), []);
    equal(
      "not unannounced",
      fixture.eventLog.count(({ type }) => type === "job-unannounced"),
      0,
    );
  },

  "a worker that has not heard of a pause with a time looks when it is over": async (fixture) => {
    const { client, clock } = fixture;
    const elsewhere = await fixture.process();
    elsewhere.notify?.mute();
    await fixture.work({ work: () => "ran" }, { pollIntervalMs: 60_000 });
    await elsewhere.client.pauseJobTypes({ ...names, forMs: 2_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await clock.yield();
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("ran", (await leapUntil(clock, 500, ended)).output, "ran");
  },

  "a worker makes no claims for a paused type that has jobs": async (fixture) => {
    const { client, clock, state } = fixture;
    await fixture.work({ work: () => "ran" }, { pollIntervalMs: 60_000 });
    await client.pauseJobTypes(names);
    await client.startChains({
      items: [undefined, { afterMs: 1 }].map(
        (schedule) => ({ typeName: "work", input: 1, ...(schedule && { schedule }) }) as const,
      ),
    });
    await heard(fixture);
    const before = state.calls.get("exchange") ?? 0;
    for (let turn = 0; turn < 20; turn += 1) {
      clock.leap(1_000);
      await clock.yield();
    }
    const made = (state.calls.get("exchange") ?? 0) - before;
    holds("hardly any", made <= 2, made);
  },

  "a worker that has not heard of a pause makes few claims": async (fixture) => {
    const { client, clock, state } = fixture;
    const elsewhere = await fixture.process();
    elsewhere.notify?.mute();
    await fixture.work({ work: () => "ran", next: () => "ran" }, { pollIntervalMs: 60_000 });
    await elsewhere.client.pauseJobTypes(names);
    await client.startChains({
      items: [undefined, { afterMs: 1 }].map(
        (schedule) => ({ typeName: "work", input: 1, ...(schedule && { schedule }) }) as const,
      ),
    });
    await clock.yield();
    const before = state.calls.get("exchange") ?? 0;
    for (let turn = 0; turn < 50; turn += 1) {
      clock.leap(100);
      await clock.yield();
    }
    const made = (state.calls.get("exchange") ?? 0) - before;
    holds("a few", made <= 10, made);
  },

  "is reported and takes effect when its transaction commits, and not at all if it rolls back": async (fixture) => {
    const { client, eventLog } = fixture;
    const told = () => eventLog.seen.filter(({ type }) => type === "types-paused" || type === "types-resumed");
    await rejected(
      "rejects",
      client.transaction(async (tx) => {
        await client.pauseJobTypes({ ...names, tx });
        throw new Error("undo");
      }),
    );
    equal("nothing", told(), []);
    equal("not paused", await client.listPausedTypes(), []);
    await client.transaction(async (tx) => {
      await client.pauseJobTypes({ typeNames: ["work", "next", "work"], reason: "why", by: "ada", forMs: 60_000, tx });
      equal("inside", (await client.listPausedTypes({ tx })).length, 2);
      equal("not yet", told(), []);
    });
    await client.resumeJobTypes(names);
    equal("the events", told(), [
      { type: "types-paused", typeNames: ["work", "next"], reason: "why", by: "ada", forMs: 60_000 },
      { type: "types-resumed", typeNames: ["work"] },
    ]);
    match("the rest", only("one", await client.listPausedTypes()), { typeName: "next", reason: "why", by: "ada" });
  },

  "is explained for the jobs that wait because of it": async (fixture) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await client.pauseJobTypes({ ...names, reason: "the provider is down", by: "ada" });
    match("paused", await client.explainChain({ id: chain.id }), {
      status: "ready",
      ahead: 0,
      paused: { reason: "the provider is down", by: "ada", until: undefined },
      summary: 'It is ready, but "work" is paused by ada until it is resumed: the provider is down.',
    });
    await client.pauseJobTypes({ ...names, forMs: 60_000 });
    const [pause] = await client.listPausedTypes();
    match("until", await client.explainChain({ id: chain.id }), {
      paused: { reason: undefined, by: undefined, until: pause?.until },
      summary: `It is ready, but "work" is paused until ${pause?.until?.toISOString()}.`,
    });
    await client.resumeJobTypes(names);
    match("resumed", await client.explainChain({ id: chain.id }), { paused: undefined });
  },
});

export const awaitIdleCases = behaviours("awaiting idle types", {
  "resolves when no attempt runs, although jobs are ready": async (fixture) => {
    const { client, clock } = fixture;
    const [begun, go] = [createGate(), createGate()];
    await fixture.work({
      work: async () => {
        begun.open();
        await go.passed;
      },
    });
    await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await client.pauseJobTypes(names);
    await client.startChain({ typeName: "work", input: 2 });
    let isIdle = false;
    const idle = inTime("idle", client.awaitIdle(names)).then(() => (isIdle = true));
    for (let turn = 0; turn < 5; turn += 1) {
      clock.leap(1_000);
      await clock.yield();
    }
    equal("not while it runs", isIdle, false);
    go.open();
    await leapUntil(clock, 1_000, idle);
    match("the other waits", (await client.countJobs()).work, { ready: 1, running: 0 });
  },

  "with pending resolves when no job is ready either": async (fixture) => {
    const { client, clock } = fixture;
    await client.startChains({
      items: [1, 2, 3].map((input) => ({ typeName: "work", input }) as const),
    });
    const drained = inTime("drained", client.awaitIdle({ ...names, pending: true }));
    await fixture.work({ work: () => "ran" });
    await leapUntil(clock, 1_000, drained);
    match("all ran", (await client.countJobs()).work, { ready: 0, running: 0, completed: 3 });
  },

  "says what is left when its time is over": async (fixture) => {
    const { client, clock } = fixture;
    await client.startChains({ items: [1, 2].map((input) => ({ typeName: "work", input }) as const) });
    const waiting = client.awaitIdle({ typeNames: ["next", "work"], pending: true, timeoutMs: 5_000 });
    const error = await rejectsWith("late", leapUntil(clock, 1_000, waiting), "await-timeout");
    holds("names the jobs", String(error).includes('"work" has 0 running and 2 ready'), error);
    await leapUntil(clock, 1_000, inTime("no attempt runs", client.awaitIdle(names)));
  },

  "ends with its signal, and with its client": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    await client.startChain({ typeName: "work", input: 1 });
    const controller = new AbortController();
    const waiting = client.awaitIdle({ ...names, pending: true, signal: controller.signal });
    const reason = new Error("the request has ended");
    controller.abort(reason);
    equal("the reason", await waiting.catch((error: unknown) => error), reason);
    equal(
      "at once",
      await client.awaitIdle({ ...names, signal: controller.signal }).catch((error: unknown) => error),
      reason,
    );
    const open = elsewhere.client.awaitIdle({ ...names, pending: true });
    const closed = rejectsWith("closed", open, "closed");
    await elsewhere.client.close();
    await closed;
  },
});
