import { equal, holds, match, present } from "../check.ts";
import { longMs, numbers, outputs, retry, startAll, statusesOf, untilEnded, working } from "./batch-calls.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import type { AppFixture } from "./fixture.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import type { BatchContext } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";

/** More than a third of a lease, after which it is renewed, and less than `longMs`. */
const renewalMs = 11_000;
const leaseMs = 30_000;
/** A renewal's reply comes in this time, also on a busy machine. */
const replyMs = 2_000;

export const batchLeaseCases = behaviours("batches", {
  "renew the leases of jobs that gather, and no attempt is added": async (fixture) => {
    const { clock, eventLog } = fixture;
    const { calls } = await working(fixture, { maxSize: 3, maxWaitMs: longMs, handler: outputs });
    await startAll(fixture, [0, 1]);
    await untilClaimed(fixture, 2);
    clock.leap(renewalMs);
    await eventLog.until("renewed", (event) => event.type === "leases-renewed" && event.count === 2);
    equal("they gather", calls, []);
    await startAll(fixture, [2]);
    await untilEnded(fixture, 3);
    equal("one call", calls, [{ inputs: numbers(3), attempts: [1, 1, 1] }]);
  },

  "explain that a job waits for a batch, in the process of its worker; to others it runs": async (fixture) => {
    const { client } = fixture;
    const other = await fixture.process();
    const { worker } = await working(fixture, { maxSize: 3, maxWaitMs: longMs, handler: outputs });
    const [chain] = await startAll(fixture, numbers(2));
    const id = firstJobIdOf(present("it", chain));
    await eventually("they gather", () => worker.health().waiting === 2);
    const told = (await client.explainJob({ id }))?.reason ?? "";
    const [waits, most = "", end] = told.split(/ most | s more/u);
    equal("it waits", [waits, end], [`It waits in worker ${worker.name} for a batch (2 of 3, at`, ")."]);
    holds("at most", Number(most) > 0 && Number(most) <= longMs / 1_000, told);
    const elsewhere = (await other.client.explainJob({ id }))?.reason ?? "";
    holds("it runs", elsewhere.startsWith(`It is running, leased by worker ${worker.id} until `), elsewhere);
  },

  "leave out a job that is cancelled while its batch gathers": async (fixture) => {
    const { client, clock } = fixture;
    const { calls, worker } = await working(fixture, { maxSize: 4, maxWaitMs: longMs, handler: outputs });
    const chains = await startAll(fixture, numbers(3));
    await untilClaimed(fixture, 3);
    await client.cancelChain({ id: present("it", chains[1]).id });
    clock.leap(renewalMs);
    await eventually("it left", () => worker.health().waiting === 2);
    await startAll(fixture, [3, 4]);
    await untilEnded(fixture, 4);
    equal(
      "the others",
      calls.map(({ inputs }) => inputs.toSorted((one, other) => Number(one) - Number(other))),
      [[0, 2, 3, 4]],
    );
  },

  "lose jobs whose leases run out while they gather to another worker, and never handle them": async (fixture) => {
    const { clock, eventLog } = fixture;
    const lost = await fixture.process();
    const began: unknown[] = [];
    const handler = ({ jobs }: BatchContext) => {
      began.push(...jobs.map(({ input }) => input));
      return jobs.map(() => "must not count");
    };
    await lost.work({ work: { leaseMs, retry, batch: { maxSize: 4, maxWaitMs: longMs, handler } } });
    const chains = await startAll(fixture, numbers(2));
    await untilClaimed(fixture, 2);
    lost.state.away(true);
    clock.leap(leaseMs + 1_000);
    await working(fixture, { maxSize: 4, maxWaitMs: 50, handler: outputs });
    const ended = eventLog.untilMany("they end", 2, ({ type }) => type === "chain-completed");
    await leapUntil(clock, 1_000, ended);
    lost.state.away(false);
    await leapUntil(
      clock,
      1_000,
      eventually("it is there again", () => began.length === 0),
    );
    equal("by the other worker", await statusesOf(fixture, chains), ["did 0", "did 1"]);
    equal("not by the first one", began, []);
  },

  "do not abort the signal when one job is lost, and abort it when all are": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const [begun, go] = [createGate(), createGate()];
    const signals: BatchContext["signal"][] = [];
    await working(fixture, {
      maxSize: 2,
      maxWaitMs: longMs,
      handler: async ({ jobs, signal }) => {
        signals.push(signal);
        begun.open();
        await go.passed;
        return outputs({ jobs });
      },
    });
    const chains = await startAll(fixture, numbers(2));
    await inTime("it begins", begun.passed);
    const [signal] = signals;
    for (const [index, chain] of chains.entries()) {
      await client.cancelChain({ id: chain.id });
      const lost = eventLog.untilMany("it is lost", index + 1, ({ type }) => type === "lease-lost");
      await leapUntil(clock, renewalMs, lost, replyMs);
      equal("aborted", signal?.aborted, index === 1);
    }
    equal("why", signal?.reason?.code, "cancelled");
    go.open();
    equal("cancelled", await statusesOf(fixture, chains), ["cancelled", "cancelled"]);
  },

  "fail the attempts of all jobs when the time of their call is over, and halve their batch": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const sizes: number[] = [];
    const reasons: unknown[] = [];
    await fixture.work({
      work: {
        retry,
        timeoutMs: 5_000,
        batch: {
          maxSize: 4,
          maxWaitMs: 200,
          handler: async ({ jobs, signal }) => {
            sizes.push(jobs.length);
            if (sizes.length > 1) return outputs({ jobs });
            const aborted = Promise.withResolvers<void>();
            signal.addEventListener("abort", () => aborted.resolve());
            begun.open();
            await aborted.promise;
            reasons.push(signal.reason?.code);
            return outputs({ jobs });
          },
        },
      },
    });
    const chains = await startAll(fixture, numbers(4));
    await inTime("it begins", begun.passed);
    clock.leap(5_001);
    await untilEnded(fixture, 4);
    equal("the signal", reasons, ["timeout"]);
    equal("the first call", sizes[0], 4);
    holds("halved", Math.max(...sizes.slice(1)) <= 2, sizes);
    for (const chain of chains) {
      const job = present("its job", await client.getJob({ id: firstJobIdOf(chain) }));
      match("its attempts", job, { status: "completed", attempt: 2 });
      equal(
        "why",
        job.errors.map(({ name }) => name),
        ["timeout"],
      );
    }
  },
});

async function untilClaimed({ eventLog }: AppFixture, count: number): Promise<void> {
  await eventLog.untilMany("claimed", count, ({ type }) => type === "job-claimed");
}
