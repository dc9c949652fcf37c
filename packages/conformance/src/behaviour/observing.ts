import { createClient, createWorker, type ChainwrightEvent, type Observer } from "chainwright";
import type { ObservedAttempt } from "chainwright/adapter";
import { equal, match, present } from "../check.ts";
import { behaviours } from "./group.ts";
import { processorsOf, type Handlers } from "./handlers.ts";
import { jobTypes } from "./job-types.ts";
import type { AppFixture } from "./fixture.ts";
import { eventually, inTime } from "./event-log.ts";

/** A process with observers of its own. */
async function observed(fixture: AppFixture, observers: readonly Observer[], handlers: Handlers) {
  const { state } = await fixture.process();
  const client = createClient({ stateAdapter: state.adapter, jobTypes, clock: fixture.clock, observers });
  const worker = createWorker({ client, processors: [processorsOf(client, handlers)], pollIntervalMs: 20 });
  await worker.start();
  return {
    client,
    end: async () => {
      await worker.stop({ timeoutMs: 0 });
      await client.close();
    },
  };
}

export const observingCases = behaviours("observing", {
  "every event of a chain is reported once, in order": async (fixture) => {
    const { client, eventLog } = fixture;
    // Before there is a worker: it might claim the job before this process has the reply to the start.
    const { id } = await client.startChain({ typeName: "work", input: 1 });
    await fixture.work({
      work: {
        retry: { backoff: { initialMs: 1_000, jitter: 0 } },
        handler: ({ job, continueWith }) => {
          if (job.attempt === 1) throw new Error("once");
          return continueWith({ typeName: "next", input: 1 });
        },
      },
      next: ({ complete }) => complete(() => "end"),
    });
    await eventLog.until("a retry", (event) => event.type === "job-retried");
    fixture.clock.leap(1_000);
    await inTime("it ends", client.awaitChain({ id }));
    await eventLog.until("the end is reported", (event) => event.type === "chain-completed");
    const about = (event: ChainwrightEvent) => "chainId" in event && event.chainId === id;
    // Two events report the end of an attempt and its outcome, in either order.
    const facts = () => eventLog.seen.filter((event) => about(event) && event.type !== "attempt-ended");
    await eventually("three attempts ended", () => eventLog.count(({ type }) => type === "attempt-ended") === 3);
    equal(
      "facts",
      facts().map(({ type }) => type),
      [
        "chain-started",
        "job-started",
        "job-claimed",
        "job-retried",
        "job-claimed",
        "job-continued",
        "job-started",
        "job-claimed",
        "job-completed",
        "chain-completed",
      ],
    );
  },

  "an event that is rolled back is never reported": async (fixture) => {
    const { client, eventLog } = fixture;
    await client
      .transaction(async (tx) => {
        await client.startChain({ tx, typeName: "idle", input: 1 });
        throw new Error("undo");
      })
      .catch(() => {});
    await client.startChain({ typeName: "idle", input: 2 });
    await eventLog.until("the other start is reported", (event) => event.type === "chain-started");
    equal(
      "one start",
      eventLog.count((event) => event.type === "chain-started"),
      1,
    );
  },

  "an observer that throws or never finishes changes nothing": async (fixture) => {
    const calls: string[] = [];
    const { client, end } = await observed(
      fixture,
      [
        () => {
          throw new Error("the observer broke");
        },
        () => new Promise(() => {}),
        () => Promise.reject(new Error("it broke later")),
        (event) => void calls.push(event.type),
      ],
      { work: () => "unharmed" },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("ends", (await inTime("it ends", client.awaitChain(chain))).output, "unharmed");
    equal("the next observer is called", calls.includes("chain-completed"), true);
    await end();
  },

  "a context that is captured at the start is there in every attempt of every step": async (fixture) => {
    const attempts: ObservedAttempt[] = [];
    let within: string | undefined;
    const tracer: Observer = Object.assign(() => {}, {
      capture: () => within ?? "from outside",
      run: async <T>(attempt: ObservedAttempt, body: () => Promise<T>): Promise<T> => {
        attempts.push(attempt);
        within = `within ${attempt.typeName}`;
        try {
          return await body();
        } finally {
          within = undefined;
        }
      },
    });
    const silent: Observer = () => {};
    const { client, end } = await observed(fixture, [silent, tracer], {
      work: ({ continueWith }) => continueWith({ typeName: "next", input: 1 }),
      next: () => null,
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it ends", client.awaitChain(chain));
    match("the first step", attempts[0], { typeName: "work", chainId: chain.id, attempt: 1, context: "from outside" });
    const second = present("the second step", attempts[1]);
    match("the second step", second, { typeName: "next", chainId: chain.id, attempt: 1 });
    equal("has a context", typeof second.context, "string");
    await end();
  },
});
