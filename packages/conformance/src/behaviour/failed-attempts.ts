import { isChainwrightError } from "chainwright";
import { causeLines, type EventError } from "chainwright/adapter";
import { equal, holds, match, present, rejectsWith } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

const quick = { backoff: { initialMs: 1_000, multiplier: 2, maxMs: 60_000, jitter: 0 } } as const;

export const failedAttemptCases = behaviours("failure", {
  "a handler that never ends times out: its signal aborts, its slot is free, the attempt has failed": async (
    fixture,
  ) => {
    const { client, clock } = fixture;
    const codes: (string | undefined)[] = [];
    const begun = createGate();
    await fixture.work(
      {
        work: {
          timeoutMs: 5_000,
          retry: { maxAttempts: 1 },
          handler: ({ job, signal }) => {
            if (job.input === "quick") return "quick";
            signal.addEventListener("abort", () => codes.push(signal.reason?.code));
            begun.open();
            return new Promise(() => {});
          },
        },
      },
      { concurrency: 1 },
    );
    const chain = await client.startChain({ typeName: "work", input: "endless" });
    await inTime("it begins", begun.passed);
    clock.leap(5_000);
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    equal("its signal", codes, ["timeout"]);
    equal("its error", (await client.getChain({ id: chain.id }))?.error?.name, "timeout");
    const after = await client.startChain({ typeName: "work", input: "quick" });
    equal("the slot is free", (await inTime("ends", client.awaitChain(after))).output, "quick");
  },

  "the writes of an attempt that has timed out are refused": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const go = createGate();
    const ended = Promise.withResolvers<unknown>();
    await fixture.work({
      work: {
        timeoutMs: 5_000,
        retry: { maxAttempts: 1 },
        handler: async ({ complete }) => {
          begun.open();
          await go.passed;
          return complete(() => "too late").then(
            (value) => (ended.resolve("completed"), value),
            (error: unknown) => {
              ended.resolve(error);
              throw error;
            },
          );
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    clock.leap(5_000);
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    go.open();
    const late = await inTime("the handler ends", ended.promise);
    holds(
      "it is refused because of the timeout",
      isChainwrightError(late, "attempt-ended") && late.details["reason"] === "timeout",
      late,
    );
    match("as it was", await client.getChain({ id: chain.id }), { status: "failed" });
  },

  "an error is stored with its causes, and with the errors of an AggregateError": async (fixture) => {
    const { client, eventLog } = fixture;
    const refused = ["::1", "127.0.0.1"].map((host) => new Error(`connect ECONNREFUSED ${host}`));
    const cause = Object.assign(new AggregateError(refused), { code: "ECONNREFUSED" });
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: () => {
          throw new TypeError("fetch failed", { cause });
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    const lines = ["AggregateError [ECONNREFUSED]", ...refused.map(({ message }) => `Error: ${message}`)];
    const causes = (error: EventError | undefined) => causeLines(present("an error", error));
    equal("the chain's", causes((await client.getChain({ id: chain.id }))?.error), lines);
    equal("the job's", causes((await client.getJob({ id: firstJobIdOf(chain) }))?.lastError), lines);
    const failed = await eventLog.until("its event", ({ type }) => type === "job-failed");
    equal("the event's", failed.type === "job-failed" ? causes(failed.error) : undefined, lines);
    const found = await client.listChains({ status: "failed", errorText: "ECONNREFUSED 127.0.0.1" });
    equal(
      "found by a cause",
      found.items.map(({ id }) => id),
      [chain.id],
    );
  },

  "what a handler throws is stored as it is, if it is no error": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: () => {
          // eslint-disable-next-line no-throw-literal, only-throw-error
          throw { code: 42, reason: "full" };
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("its error", (await client.getChain({ id: chain.id }))?.error, { message: '{ code: 42, reason: "full" }' });
  },

  "middleware that throws is a failed attempt with its backoff: it does not spin": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    let attempts = 0;
    await fixture.work({
      middleware: [
        async (_attempt, next) => {
          attempts += 1;
          if (attempts < 3) throw new Error("the middleware broke");
          return next();
        },
      ],
      work: { retry: quick, handler: () => "through" },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    for (const [index, dueInMs] of [1_000, 2_000].entries()) {
      await eventLog.untilMany("a retry", index + 1, (event) => event.type === "job-retried");
      equal("one attempt a backoff", attempts, index + 1);
      match("counted, with its error", await client.getJob({ id: firstJobIdOf(chain) }), { attempt: index + 1 });
      clock.leap(dueInMs);
    }
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "through");
  },

  "middleware wraps the attempt: in order, with what it adds, and sees errors": async (fixture) => {
    const { client } = fixture;
    const order: unknown[] = [];
    await fixture.work({
      middleware: [
        async ({ job }, next) => {
          order.push(["outer in", job.input]);
          try {
            return await next({ added: "by outer" });
          } catch (error) {
            order.push(["outer saw", error instanceof Error ? error.message : error]);
            throw error;
          }
        },
        async (_attempt, next) => {
          order.push("inner in");
          const result = await next();
          order.push("inner out");
          return result;
        },
      ],
      work: {
        retry: { maxAttempts: 1 },
        handler: (context) => {
          order.push(["handler", "added" in context ? context.added : undefined]);
          if (context.job.input === "bad") throw new Error("broke");
          return null;
        },
      },
    });
    const good = await client.startChain({ typeName: "work", input: "good" });
    await inTime("it ends", client.awaitChain(good));
    equal("order", order.splice(0), [["outer in", "good"], "inner in", ["handler", "by outer"], "inner out"]);
    const bad = await client.startChain({ typeName: "work", input: "bad" });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(bad)), "chain-failed");
    equal("order", order, [["outer in", "bad"], "inner in", ["handler", "by outer"], ["outer saw", "broke"]]);
  },

  "middleware that would replace a part of the context is a failed attempt": async (fixture) => {
    const { client } = fixture;
    let runs = 0;
    await fixture.work({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler refuses it
      middleware: [async (_attempt, next) => await next({ job: { input: "another" } } as never)],
      work: { retry: { maxAttempts: 1 }, handler: () => (runs += 1) },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    equal("its error", (await client.getChain({ id: chain.id }))?.error?.name, "handler-result");
    equal("the handler has not begun", runs, 0);
  },

  "a continuation that the store refuses is a failed attempt": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ job, continueWith }) =>
          continueWith({ typeName: "gather", input: 1, blockers: [{ typeName: "work", id: job.chainId }] }),
      },
      gather: () => null,
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    equal("its error", (await client.getChain({ id: chain.id }))?.error?.name, "blocker-cycle");
  },

  "a retry continues a failed chain from its step, with the given input": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: ({ continueWith }) => continueWith({ typeName: "next", input: "wrong" }),
      next: {
        retry: { maxAttempts: 1 },
        handler: ({ job }) => {
          if (job.input === "wrong") throw new Error("wrong input");
          return { used: job.input, attempt: job.attempt, before: job.lastError?.message };
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    await client.retryChain({ id: chain.id, typeName: "next", input: "right" });
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, {
      used: "right",
      attempt: 1,
      before: "wrong input",
    });
  },

  "processes that die in an attempt use it up, and in the end the chain fails": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const chain = await client.startChain({ typeName: "work", input: 1 });
    for (let death = 1; death <= 3; death += 1) {
      const doomed = await fixture.process();
      await doomed.work(
        {
          work: {
            retry: { maxAttempts: 3 },
            handler: () => {
              doomed.state.kill();
              return "never reported";
            },
          },
        },
        { leaseMs: 1_000 },
      );
      await eventLog.untilMany("an attempt ends with its process", death, (event) => event.type === "attempt-ended");
      match("counted", await client.getJob({ id: firstJobIdOf(chain) }), { attempt: death });
      clock.leap(1_000);
    }
    let called = false;
    const handler = () => {
      called = true;
      return "a fourth time";
    };
    await fixture.work({ work: { retry: { maxAttempts: 3 }, handler } });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    equal("no fourth attempt", called, false);
  },
});
