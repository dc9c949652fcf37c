import { FatalError } from "chainwright";
import { equal, holds, match, only, present, rejectsWith } from "../check.ts";
import { behaviours } from "./group.ts";
import type { AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import type { Context } from "./handlers.ts";

const quick = { backoff: { initialMs: 1_000, multiplier: 2, maxMs: 60_000, jitter: 0 } } as const;

/** Lets every retry of a chain fall due until it has ended. */
async function untilEnded(fixture: AppFixture, id: string): Promise<void> {
  const ended = (chainId: string) => fixture.eventLog.count((event) => isEnd(event, chainId)) > 0;
  for (let round = 0; round < 60 && !ended(id); round += 1) {
    const seen = fixture.eventLog.seen.length;
    await fixture.eventLog.until("a retry, or the end", (event) => {
      const isNew = fixture.eventLog.seen.indexOf(event) >= seen;
      return isEnd(event, id) || (isNew && event.type === "job-retried" && event.chainId === id);
    });
    if (!ended(id)) fixture.clock.leap(3_600_000 * 2);
  }
}

function isEnd(event: AppFixture["eventLog"]["seen"][number], id: string): boolean {
  return (event.type === "chain-failed" || event.type === "chain-completed") && event.chainId === id;
}

export const failureCases = behaviours("failure", {
  "an error is retried after its backoff, and the next attempt sees it": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const attempts: unknown[] = [];
    await fixture.work({
      work: {
        retry: quick,
        handler: ({ job }) => {
          attempts.push([job.attempt, job.lastError?.message, job.idempotencyKey]);
          if (job.attempt < 4) throw new Error(`attempt ${job.attempt} broke`);
          return "at last";
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    for (const [index, dueInMs] of [1_000, 2_000, 4_000].entries()) {
      await eventLog.untilMany("a retry", index + 1, (event) => event.type === "job-retried");
      const retry = eventLog.seen.findLast((event) => event.type === "job-retried");
      equal("its delay doubles", retry?.dueInMs, dueInMs);
      match("waiting", await client.getJob({ id: firstJobIdOf(chain) }), { status: "scheduled", attempt: index + 1 });
      clock.leap(dueInMs);
    }
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "at last");
    equal("what the attempts saw", attempts, [
      [1, undefined, chain.id],
      [2, "attempt 1 broke", chain.id],
      [3, "attempt 2 broke", chain.id],
      [4, "attempt 3 broke", chain.id],
    ]);
  },

  "is not retried before its backoff has passed": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    let attempts = 0;
    await fixture.work(
      {
        work: {
          retry: quick,
          handler: ({ job }) => {
            attempts += 1;
            if (job.input === "bad") throw new Error("no");
            return null;
          },
        },
      },
      { pollIntervalMs: 100 },
    );
    await client.startChain({ typeName: "work", input: "bad" });
    await eventLog.until("a retry", (event) => event.type === "job-retried");
    clock.leap(500);
    // The same worker runs other jobs meanwhile.
    for (let round = 0; round < 3; round += 1) {
      const other = await client.startChain({ typeName: "work", input: "good" });
      await inTime("others end", client.awaitChain(other));
    }
    equal("one attempt, and three of the others", attempts, 4);
  },

  "when its attempts are used up, the chain fails: it keeps its errors, rejects waiting callers and is listed": async (
    fixture,
  ) => {
    const { client } = fixture;
    await fixture.work({
      work: {
        retry: { maxAttempts: 3, ...quick },
        handler: ({ job }) => {
          throw new TypeError(`attempt ${job.attempt} broke`);
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: { keep: "me" } });
    const rejection = rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    await untilEnded(fixture, chain.id);
    const error = await rejection;
    holds("with the last message", error instanceof Error && error.message.includes("attempt 3 broke"), error);
    const failed = await client.getChain({ id: chain.id });
    match("kept", failed, { status: "failed", input: { keep: "me" } });
    match("its error", failed?.error, { attempt: 3, name: "TypeError", message: "attempt 3 broke" });
    const job = present("its job", await client.getJob({ id: firstJobIdOf(chain) }));
    equal(
      "all attempts",
      job.errors.map(({ attempt, message }) => [attempt, message]),
      [
        [1, "attempt 1 broke"],
        [2, "attempt 2 broke"],
        [3, "attempt 3 broke"],
      ],
    );
    holds("with a stack", job.errors[0]?.stack?.includes("attempt 1 broke") === true, job.errors[0]);
    const listed = await client.listChains({ status: "failed", errorText: "attempt 3" });
    equal("listed", only("one", listed.items).id, chain.id);
  },

  "a job has 25 attempts by default, and the errors of the last ten are kept": async (fixture) => {
    const { client } = fixture;
    let attempts = 0;
    await fixture.work({
      work: () => {
        attempts += 1;
        throw new Error(`attempt ${attempts}`);
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await untilEnded(fixture, chain.id);
    equal("attempts", attempts, 25);
    const job = present("its job", await client.getJob({ id: firstJobIdOf(chain) }));
    equal(
      "kept",
      job.errors.map(({ message }) => message),
      Array.from({ length: 10 }, (_, index) => `attempt ${16 + index}`),
    );
  },

  "FatalError ends the chain at once": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: () => {
        throw new FatalError("the order does not exist");
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("one attempt", await client.getJob({ id: firstJobIdOf(chain) }), { status: "failed", attempt: 1 });
  },

  "reschedule comes back at its time and uses up no attempt": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const attempts: number[] = [];
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ job, reschedule }) => {
          attempts.push(job.attempt);
          if (attempts.length === 1) reschedule({ afterMs: 60_000 });
          if (attempts.length === 2) reschedule({ at: new Date(clock.now() + 60_000) });
          return "third time";
        },
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    for (let times = 1; times <= 2; times += 1) {
      await eventLog.untilMany("rescheduled", times, (event) => event.type === "job-retried");
      match("waits", await client.getJob({ id: firstJobIdOf(chain) }), { status: "scheduled", attempt: 0, errors: [] });
      clock.leap(60_000);
    }
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "third time");
    equal("always the first attempt", attempts, [1, 1, 1]);
  },

  "a handler that returns what JSON cannot carry has failed; its neighbours have not": async (fixture) => {
    const { client } = fixture;
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const wrong: readonly (readonly [what: string, value: unknown, name: string])[] = [
      ["a bigint", 1n, "payload-not-serializable"],
      ["a function", () => {}, "payload-not-serializable"],
      ["a symbol", Symbol("s"), "payload-not-serializable"],
      ["NaN", Number.NaN, "payload-not-serializable"],
      ["a Date", new Date(0), "payload-not-serializable"],
      ["a Map", new Map([[1, 2]]), "payload-not-serializable"],
      ["itself within itself", circular, "payload-not-serializable"],
      ["a Date deep down", { a: [{ b: new Date(0) }] }, "payload-not-serializable"],
      ["more than the limit", "x".repeat(1_048_577), "payload-too-large"],
      [
        "a getter that throws",
        {
          get a() {
            throw new Error("no");
          },
        },
        "payload-not-serializable",
      ],
    ];
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ job }) => {
          const place = Number(job.input);
          return place < 0 ? "right" : wrong[place]?.[1];
        },
      },
    });
    const chains = [];
    for (let place = 0; place < wrong.length; place += 1) {
      chains.push(await client.startChain({ typeName: "work", input: place }));
      const neighbour = await client.startChain({ typeName: "work", input: -1 });
      equal("its neighbour", (await inTime("ends", client.awaitChain(neighbour))).output, "right");
    }
    for (const [place, [what, , name]] of wrong.entries()) {
      const chain = present("started", chains[place]);
      await rejectsWith(
        `${what}: the wait rejects`,
        inTime(`${what}: it ends`, client.awaitChain(chain)),
        "chain-failed",
      );
      equal(`${what}: its error`, (await client.getChain({ id: chain.id }))?.error?.name, name);
    }
  },

  "a handler that returns nothing ends its chain with null, also in complete": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: () => undefined, next: ({ complete }) => complete(async () => undefined) });
    for (const typeName of ["work", "next"] as const) {
      const chain = await client.startChain({ typeName, input: 1 });
      equal(`the output of ${typeName}`, (await inTime("it ends", client.awaitChain(chain))).output, null);
      equal("as stored", (await client.getJob({ id: firstJobIdOf(chain) }))?.output, null);
    }
  },

  "a handler that calls continueWith and returns nothing, or something else, has failed, also in complete": async (
    fixture,
  ) => {
    const { client } = fixture;
    const once = { retry: { maxAttempts: 1 } };
    const forget = ({ job, continueWith }: Pick<Context, "job" | "continueWith">) => {
      continueWith({ typeName: "next", input: 1 });
      return job.input === "nothing" ? undefined : job.input;
    };
    await fixture.work({
      work: { ...once, handler: forget },
      next: {
        ...once,
        handler: ({ job, complete }) => complete(({ continueWith }) => forget({ job, continueWith })),
      },
    });
    for (const typeName of ["work", "next"] as const) {
      for (const input of ["nothing", { ended: true }]) {
        const chain = await client.startChain({ typeName, input });
        await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
        equal("its error", (await client.getChain({ id: chain.id }))?.error?.name, "handler-result");
      }
    }
  },
});
