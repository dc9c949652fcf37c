import { equal, holds, match, present } from "../check.ts";
import { longMs, numbers, outputs, retry, startAll, statusesOf, untilEnded, working } from "./batch-calls.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import type { BatchContext } from "./handlers.ts";

export const batchCases = behaviours("batches", {
  "give one call of the handler many jobs, and each job gets the result at its place": async (fixture) => {
    const chains = await startAll(fixture, numbers(5));
    const { calls } = await working(fixture, { maxSize: 5, maxWaitMs: longMs, handler: outputs });
    await untilEnded(fixture, 5);
    equal("one call", calls, [{ inputs: numbers(5), attempts: [1, 1, 1, 1, 1] }]);
    equal(
      "each its own",
      await statusesOf(fixture, chains),
      numbers(5).map((n) => `did ${n}`),
    );
    await fixture.eventLog.untilMany("its attempts end", 5, ({ type }) => type === "attempt-ended");
    const sizes = fixture.eventLog.seen.flatMap((event) => (event.type === "attempt-ended" ? event.batchSize : []));
    equal("the events have the size", sizes, [5, 5, 5, 5, 5]);
  },

  "end each job with its own result: an output, a next step, a failure, a fatal one, another time": async (fixture) => {
    const { client, eventLog } = fixture;
    const chains = await startAll(fixture, ["output", "next", "failed", "fatal", "later"]);
    const [, next, , fatal, later] = chains;
    await fixture.work({
      next: () => "by the next step",
      work: {
        retry,
        batch: {
          maxSize: 5,
          maxWaitMs: 50,
          handler: ({ jobs, failed, reschedule, continueWith }) =>
            jobs.map(({ input, attempt }) => {
              if (input === "next") return continueWith({ typeName: "next", input: 1 });
              if (input === "failed" && attempt === 1) return failed(new Error("not this time"));
              if (input === "fatal") return failed.fatal("gone");
              return input === "later" ? reschedule.of({ afterMs: 60_000 }) : input;
            }),
        },
      },
    });
    await untilEnded(fixture, 4);
    await eventLog.until("it is put off", (event) => event.type === "job-retried" && event.reason === "rescheduled");
    equal("each its own", await statusesOf(fixture, chains), [
      "output",
      "by the next step",
      "failed",
      "failed",
      "active",
    ]);
    match("the failed one", await client.getJob({ id: firstJobIdOf(present("it", fatal)) }), {
      attempt: 1,
      status: "failed",
    });
    match("put off, not counted", await client.getJob({ id: firstJobIdOf(present("it", later)) }), {
      attempt: 0,
      status: "scheduled",
    });
    match("continued", await client.getJob({ id: firstJobIdOf(present("it", next)) }), {
      status: "completed",
      attempt: 1,
    });
  },

  "bisect after a throw: the poison job is alone in the end and fails, and the others need few attempts": async (
    fixture,
  ) => {
    const chains = await startAll(fixture, numbers(16));
    const { calls } = await working(
      fixture,
      {
        maxSize: 16,
        maxWaitMs: 100,
        handler: ({ jobs }) => {
          if (jobs.some(({ input }) => input === 11)) throw new Error("poison");
          return jobs.map(({ attempt }) => attempt);
        },
      },
      { maxAttempts: 6 },
    );
    await untilEnded(fixture, 16);
    const ends = await statusesOf(fixture, chains);
    equal("it fails", ends[11], "failed");
    const attempts = ends.filter((_, n) => n !== 11);
    holds(
      "the others succeed within log2(16) + 1 attempts",
      attempts.every((each) => Number(each) <= 5),
      ends,
    );
    for (const { inputs, attempts: own } of calls)
      holds("each attempt halves the size", inputs.length <= Math.max(1, 16 / 2 ** ((own[0] ?? 1) - 1)), calls);
    holds(
      "it was alone",
      calls.some(({ inputs }) => inputs.length === 1 && inputs[0] === 11),
      calls,
    );
  },

  "tell of each failed attempt how many jobs its call had, which others, and how often it was halved": async (
    fixture,
  ) => {
    const { client } = fixture;
    const chains = await startAll(fixture, numbers(16));
    const ids = chains.map(firstJobIdOf);
    const handler = ({ jobs, failed }: BatchContext) => {
      if (jobs.some(({ input }) => input === 3)) throw new Error("poison");
      return jobs.map(({ input, attempt }) => (input === 9 && attempt < 5 ? failed(new Error("not yet")) : input));
    };
    await working(fixture, { maxSize: 16, maxWaitMs: 100, handler }, { maxAttempts: 5 });
    await untilEnded(fixture, 16);
    const poison = present("it", await client.getJob({ id: present("its id", ids[3]) }));
    equal(
      "it was halved until it was alone",
      poison.errors.map(({ batch }) => batch?.halvings),
      [0, 1, 2, 3, 4],
    );
    equal("alone", poison.lastError?.batch, { size: 1, halvings: 4, others: [] });
    equal("the first call had all", poison.errors[0]?.batch, { size: 16, halvings: 0, others: ids.slice(4, 14) });
    const late = present("the late one", await client.getJob({ id: present("its id", ids[9]) }));
    const first = late.errors[0]?.batch;
    equal("the next ones, then those from the first one on", first?.others, [...ids.slice(10), ...ids.slice(0, 4)]);
    equal("completed jobs keep it", [late.status, late.errors.length], ["completed", 4]);
  },

  "store nothing of a batch with jobs that are handled one by one": async (fixture) => {
    const { client } = fixture;
    const [chain] = await startAll(fixture, [1]);
    await fixture.work({
      work: {
        retry: { ...retry, maxAttempts: 1 },
        handler: () => {
          throw new Error("no");
        },
      },
    });
    await untilEnded(fixture, 1);
    const { lastError } = present("it", await client.getJob({ id: firstJobIdOf(present("it", chain)) }));
    match("its error", lastError, { message: "no" });
    equal("no batch", "batch" in present("its error", lastError), false);
  },

  'stay together after a throw with onThrow: "together"': async (fixture) => {
    await startAll(fixture, numbers(4));
    const { calls } = await working(fixture, {
      maxSize: 4,
      maxWaitMs: longMs,
      onThrow: "together",
      handler: ({ jobs }) => {
        if (jobs.some(({ attempt }) => attempt < 3)) throw new Error("not yet");
        return outputs({ jobs });
      },
    });
    await untilEnded(fixture, 4);
    equal(
      "all of them each time",
      calls.map(({ inputs }) => inputs.length),
      [4, 4, 4],
    );
  },

  "never mix jobs for which by returns different values, and never exceed the size": async (fixture) => {
    const inputs = numbers(60).map((n) => ({ group: n % 7 === 0 ? "rare" : n % 2, n }));
    await startAll(fixture, inputs);
    const groupOf = (input: unknown): unknown => Reflect.get(Object(input), "group");
    const { calls } = await working(fixture, { maxSize: 8, maxWaitMs: 60, by: groupOf, handler: outputs });
    await untilEnded(fixture, 60);
    for (const call of calls) {
      equal("one group", new Set(call.inputs.map(groupOf)).size, 1);
      holds("at most the size", call.inputs.length <= 8, call);
    }
    holds(
      "full ones too",
      calls.some((call) => call.inputs.length === 8),
      calls,
    );
    equal("each once", calls.flatMap((call) => call.inputs).length, 60);
  },

  "fail only the job for which by throws": async (fixture) => {
    const chains = await startAll(fixture, ["a", null, "b"]);
    const by = (input: unknown) => {
      if (input === null) throw new TypeError("no index");
      return "one";
    };
    const { calls } = await working(fixture, { maxSize: 2, maxWaitMs: 100, by, handler: outputs }, { maxAttempts: 2 });
    await untilEnded(fixture, 3);
    equal("the others succeed", await statusesOf(fixture, chains), ["did a", "failed", "did b"]);
    equal(
      "together",
      calls.map(({ inputs }) => inputs),
      [["a", "b"]],
    );
    match("with its error", (await fixture.client.getJob({ id: firstJobIdOf(present("it", chains[1])) }))?.lastError, {
      attempt: 2,
      message: "no index",
    });
  },

  "begin a full batch at once, and one that is not full when its first job has waited for maxWaitMs": async (
    fixture,
  ) => {
    const { clock } = fixture;
    const { calls } = await working(fixture, { maxSize: 3, maxWaitMs: longMs, handler: outputs });
    const chains = await startAll(fixture, numbers(4));
    await untilEnded(fixture, 3);
    equal("the full one", calls.length, 1);
    match("the last one waits, leased", await fixture.client.getJob({ id: firstJobIdOf(present("it", chains[3])) }), {
      status: "running",
    });
    clock.leap(longMs);
    await untilEnded(fixture, 4);
    equal("the rest", calls[1], { inputs: [3], attempts: [1] });
  },

  "give back at once the jobs that gather when the worker stops, and they count no attempt": async (fixture) => {
    const chains = await startAll(fixture, numbers(3));
    const { calls, worker } = await working(fixture, { maxSize: 100, maxWaitMs: longMs, handler: outputs });
    await fixture.eventLog.untilMany("claimed", 3, ({ type }) => type === "job-claimed");
    await inTime("it stops", worker.stop());
    equal("no call", calls, []);
    for (const chain of chains)
      match("given back", await fixture.client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
  },

  "fail with handler-result, for all jobs, when the result has a wrong length or a hole": async (fixture) => {
    // oxlint-disable-next-line no-sparse-arrays -- the mistake of the case
    const results: readonly unknown[] = [[1, 2], [1, 2, 3, 4], [1, , 3], "three", undefined];
    let call = 0;
    const chains = await startAll(fixture, numbers(3));
    const onThrow = "together" as const;
    const handler = () => results[call++];
    await working(fixture, { maxSize: 3, maxWaitMs: longMs, onThrow, handler }, { maxAttempts: results.length });
    await untilEnded(fixture, 3);
    for (const chain of chains) {
      const job = present("its job", await fixture.client.getJob({ id: firstJobIdOf(chain) }));
      equal(
        "all attempts",
        job.errors.map(({ name }) => name),
        results.map(() => "handler-result"),
      );
    }
  },

  "keep the results of the others when a job is cancelled meanwhile, and abort the signal when all are": async (
    fixture,
  ) => {
    const { client } = fixture;
    const [first, second] = [createGate(), createGate()];
    const chains = await startAll(fixture, numbers(3));
    let signalled: string | undefined;
    await working(fixture, {
      maxSize: 3,
      maxWaitMs: 200,
      handler: async ({ jobs, signal }) => {
        first.open();
        await second.passed;
        signalled = signal.reason?.code;
        return outputs({ jobs });
      },
    });
    await inTime("it begins", first.passed);
    await client.cancelChain({ id: present("it", chains[1]).id });
    await fixture.eventLog.until("it is lost", ({ type }) => type === "lease-lost");
    second.open();
    await untilEnded(fixture, 2);
    equal("the others", await statusesOf(fixture, chains), ["did 0", "cancelled", "did 2"]);
    equal("the signal has not aborted", signalled, undefined);
  },
});
