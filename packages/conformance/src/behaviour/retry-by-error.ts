import { FatalError, isChainwrightError, type ChainwrightEvent, type RetryOptions, type RetryWhen } from "chainwright";
import { equal, holds, match, present, rejectsWith } from "../check.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import type { AppFixture } from "./fixture.ts";
import { behaviours } from "./group.ts";

const backoff = { initialMs: 5_000, multiplier: 2, maxMs: 60_000, jitter: 0 } as const;

/** A response of a service that is no success. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the service returned ${status}`);
    this.status = status;
  }
}

/** Starts one chain whose handler throws these errors, one an attempt, and then returns. */
async function failing(fixture: AppFixture, errors: readonly unknown[], retry: RetryOptions) {
  const attempts: number[] = [];
  await fixture.work({
    work: {
      retry: { backoff, ...retry },
      handler: ({ job }) => {
        attempts.push(job.attempt);
        if (attempts.length <= errors.length) throw errors[attempts.length - 1];
        return "at last";
      },
    },
  });
  const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
  return {
    attempts,
    chain,
    /** Waits for a retry, the first one being 1. */
    async retried(times: number) {
      await fixture.eventLog.untilMany(`retry ${times}`, times, isRetry);
      return present("the retry", fixture.eventLog.seen.filter(isRetry)[times - 1]);
    },
    job: async () => present("its job", await fixture.client.getJob({ id: firstJobIdOf(chain) })),
  };
}

function isRetry(event: ChainwrightEvent): event is Extract<ChainwrightEvent, { readonly type: "job-retried" }> {
  return event.type === "job-retried";
}

/** Represents a promise that rejects. */
const rejection = Symbol("rejection");

/** A `retry.when` that returns these values, one after the other, and what it was asked about. */
function deciding(decisions: readonly unknown[]) {
  const asked: (readonly [error: unknown, attempt: number])[] = [];
  const when = (thrown: unknown, { attempt }: { readonly attempt: number }): unknown => {
    asked.push([thrown, attempt]);
    const decision = decisions[asked.length - 1];
    return decision === rejection ? Promise.reject(new Error("no one awaits this")) : decision;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some decisions are wrong
  return { asked, when: when as RetryWhen };
}

export const retryByErrorCases = behaviours("retry by error", {
  'retry.when that returns "fail" ends the chain at once, and the events and the stored error say so': async (
    fixture,
  ) => {
    const error = new Refusal(410);
    const { asked, when } = deciding(["fail"]);
    const { chain, job } = await failing(fixture, [error], { when });
    await rejectsWith("the wait rejects", inTime("it ends", fixture.client.awaitChain(chain)), "chain-failed");
    holds("it has seen the thrown value itself", asked.length === 1 && asked[0]?.[0] === error, asked);
    equal("and the number of the attempt", asked[0]?.[1], 1);
    match("the job", await job(), { status: "failed", attempt: 1 });
    match("its error", (await job()).lastError, { attempt: 1, decidedBy: "when" });
    const event = await fixture.eventLog.until("it failed", ({ type }) => type === "job-failed");
    match("the event", event, { type: "job-failed", decidedBy: "when" });
    equal("its error", event.type === "job-failed" && event.error?.message, error.message);
  },

  "retry.when that returns { afterMs } delays the next attempt, and the attempt counts": async (fixture) => {
    const { when } = deciding([{ afterMs: 30_000 }, { afterMs: 0 }, { afterMs: 30_000, uncounted: false }]);
    const { retried, job, attempts, chain } = await failing(
      fixture,
      [1, 2, 3].map((each) => new Refusal(500 + each)),
      { when, maxAttempts: 3 },
    );
    match("its delay", await retried(1), { reason: "error", dueInMs: 30_000, decidedBy: "when" });
    match("it waits", await job(), { status: "scheduled", attempt: 1 });
    fixture.clock.leap(30_000);
    match("none", await retried(2), { reason: "error", dueInMs: 0, decidedBy: "when" });
    await rejectsWith("the last attempt", inTime("it ends", fixture.client.awaitChain(chain)), "chain-failed");
    equal("its attempts", attempts, [1, 2, 3]);
    const event = await fixture.eventLog.until("it failed", ({ type }) => type === "job-failed");
    equal("maxAttempts decided", event.type === "job-failed" && event.decidedBy, undefined);
  },

  "retry.when that returns uncounted gives the attempt back, also the last, and each job keeps its other errors":
    async (fixture) => {
      const first = new Refusal(503);
      const busy = Array.from({ length: 12 }, () => new Refusal(429));
      const when: RetryWhen = (error) => (error === first ? "retry" : { afterMs: 10_000, uncounted: true });
      const { retried, job, attempts, chain } = await failing(fixture, [first, ...busy], { when, maxAttempts: 2 });
      match("the first counts", await retried(1), { reason: "error", dueInMs: 5_000, decidedBy: undefined });
      fixture.clock.leap(5_000);
      for (let times = 2; times <= 13; times += 1) {
        match("given back", await retried(times), { reason: "rescheduled", dueInMs: 10_000, decidedBy: "when" });
        match("it waits", await job(), { status: "scheduled", attempt: 1 });
        fixture.clock.leap(10_000);
      }
      equal("its end", (await inTime("it ends", fixture.client.awaitChain(chain))).output, "at last");
      equal("always the second attempt", attempts, [1, ...Array.from({ length: 13 }, () => 2)]);
      equal(
        "its errors",
        (await job()).errors.map(({ attempt, message, uncounted }) => [attempt, message, uncounted]),
        [
          [1, first.message, undefined],
          [2, new Refusal(429).message, true],
        ],
      );
    },

  "an uncounted retry waits for a second at least, so that a service that asks for none is not called all the time":
    async (fixture) => {
      const { when } = deciding([
        { afterMs: 0, uncounted: true },
        { afterMs: 999.5, uncounted: true },
        { afterMs: 1_001, uncounted: true },
      ]);
      const { retried, chain } = await failing(fixture, [1, 2, 3], { when });
      for (const [index, dueInMs] of [1_000, 1_000, 1_001].entries()) {
        equal("its delay", (await retried(index + 1)).dueInMs, dueInMs);
        fixture.clock.leap(dueInMs);
      }
      equal("its end", (await inTime("it ends", fixture.client.awaitChain(chain))).output, "at last");
    },

  'a mistake in retry.when counts as "retry" and is reported': async (fixture) => {
    const wrong: readonly (readonly [decision: unknown, message: string])[] = [
      [rejection, 'must return "fail", "retry" or { afterMs, uncounted }; got a promise.'],
      [undefined, "; got undefined."],
      [null, "; got null."],
      [true, "; got true."],
      ["later", '; got "later".'],
      [{}, "afterMs of retry.when"],
      [{ afterMs: Number.NaN }, "; got NaN."],
      [{ afterMs: -1, uncounted: true }, "; got -1."],
      [{ afterMs: Infinity }, "; got Infinity."],
      [{ afterMs: "5" }, '; got "5".'],
      [{ afterMs: 5, uncounted: "yes" }, '; got "yes".'],
      [{ afterMs: 5, counted: false }, 'has no option "counted"'],
    ];
    const { when } = deciding(wrong.map(([decision]) => decision));
    const { retried, chain } = await failing(fixture, wrong, { when, backoff: { ...backoff, multiplier: 1 } });
    for (const [index, [, message]] of wrong.entries()) {
      match("retried", await retried(index + 1), { reason: "error", dueInMs: 5_000, decidedBy: undefined });
      const mistakes = fixture.eventLog.seen.flatMap((event) => (event.type === "handler-mistake" ? [event] : []));
      const mistake = present(`mistake ${index + 1}`, mistakes[index]);
      match("of this attempt", mistake, { chainId: chain.id, typeName: "work", attempt: index + 1 });
      holds(message, mistake.error.message.includes(message), mistake.error);
      fixture.clock.leap(5_000);
    }
    equal("its end", (await inTime("it ends", fixture.client.awaitChain(chain))).output, "at last");
  },

  'a retry.when that throws has decided "retry", and the job keeps the error of its attempt': async (fixture) => {
    const bug = new TypeError("cannot read properties of undefined");
    const when: RetryWhen = () => {
      throw bug;
    };
    const { retried, job, chain } = await failing(fixture, [new Refusal(500), new Refusal(501)], {
      when,
      maxAttempts: 2,
    });
    const retry = await retried(1);
    match("retried", retry, { reason: "error", dueInMs: 5_000, decidedBy: undefined });
    equal("with its error", retry.error?.message, new Refusal(500).message);
    const mistake = await fixture.eventLog.until("reported", ({ type }) => type === "handler-mistake");
    const error = mistake.type === "handler-mistake" ? mistake.error : undefined;
    equal("its code and its cause", [error?.name, error?.cause?.message], ["handler-result", bug.message]);
    fixture.clock.leap(5_000);
    await rejectsWith("the last attempt", inTime("it ends", fixture.client.awaitChain(chain)), "chain-failed");
    match("its error", (await job()).lastError, { attempt: 2, message: new Refusal(501).message });
  },

  "retry.when is not asked about a FatalError or a reschedule, and once about a timeout": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const { asked, when } = deciding([{ afterMs: 7_000 }]);
    await fixture.work({
      work: {
        timeoutMs: 5_000,
        retry: { when, backoff },
        handler: async ({ job, reschedule, signal }) => {
          if (job.input === "fatal") throw new FatalError("no such order");
          if (job.lastError !== undefined) return "at last";
          if (job.input === "later") reschedule({ afterMs: 60_000 });
          await new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          });
          return null;
        },
      },
    });
    const fatal = await client.startChain({ typeName: "work", input: "fatal" });
    await rejectsWith("it fails", inTime("it ends", client.awaitChain(fatal)), "chain-failed");
    await client.startChain({ typeName: "work", input: "later" });
    await eventLog.until("rescheduled", (event) => isRetry(event) && event.reason === "rescheduled");
    equal("not asked", asked, []);
    const slow = await client.startChain({ typeName: "work", input: "slow" });
    await eventLog.until("claimed", (event) => event.type === "job-claimed" && event.chainId === slow.id);
    clock.leap(5_000);
    const isSlow = (event: ChainwrightEvent) => isRetry(event) && event.chainId === slow.id;
    match("retried", await eventLog.until("retried", isSlow), { dueInMs: 7_000, decidedBy: "when" });
    clock.leap(7_000);
    equal("its end", (await inTime("it ends", client.awaitChain(slow))).output, "at last");
    equal("asked once", asked.length, 1);
    holds("about the timeout", isChainwrightError(asked[0]?.[0], "timeout"), asked);
  },
});
