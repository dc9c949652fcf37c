import { equal, holds, match, only, present } from "../check.ts";
import { abortOf, createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import type { Context } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

export const workerCases = behaviours("a worker", {
  "runs as many handlers at a time as it has slots, and no more": async (fixture) => {
    const { client } = fixture;
    const gates = Array.from({ length: 12 }, () => createGate());
    let running = 0;
    let most = 0;
    await fixture.work(
      {
        work: async ({ job }) => {
          running += 1;
          most = Math.max(most, running);
          await gates[Number(job.input)]?.passed;
          running -= 1;
          return null;
        },
      },
      { concurrency: 3 },
    );
    const chains = await client.startChains({
      items: gates.map((_, index) => ({ typeName: "work", input: index }) as const),
    });
    for (const gate of gates) gate.open();
    for (const chain of chains) await inTime("it ends", client.awaitChain(chain));
    equal("at most three", most, 3);
  },

  "takes jobs by priority, then first in, first out": async (fixture) => {
    const { client } = fixture;
    const order: unknown[] = [];
    const chains = [];
    for (const [input, priority] of [
      ["a", 0],
      ["b", 5],
      ["c", 0],
      ["d", -5],
      ["e", 5],
    ] as const) {
      chains.push(await client.startChain({ typeName: "work", input, priority }));
    }
    await fixture.work({ work: ({ job }) => (order.push(job.input), null) }, { concurrency: 1, prefetch: 0 });
    for (const chain of chains) await inTime("it ends", client.awaitChain(chain));
    equal("order", order, ["b", "e", "a", "c", "d"]);
  },

  "serves all its types while each of them has a backlog": async (fixture) => {
    const { client } = fixture;
    const order: string[] = [];
    const items = ["work", "next"] as const;
    const chains = [];
    for (const typeName of items) {
      chains.push(
        ...(await client.startChains({
          items: Array.from({ length: 20 }, () => ({ typeName, input: 1 }) as const),
        })),
      );
    }
    const handler = ({ job }: Context) => (order.push(job.typeName), null);
    await fixture.work({ work: handler, next: handler }, { concurrency: 1, prefetch: 0 });
    for (const chain of chains) await inTime("it ends", client.awaitChain(chain));
    const half = order.slice(0, 20);
    holds("both are among the first half", half.includes("work") && half.includes("next"), half);
  },

  "takes only the types that it handles": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: () => null });
    const left = await client.startChain({ typeName: "next", input: 1 });
    const done = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it ends", client.awaitChain(done));
    match("left", await client.getJob({ id: firstJobIdOf(left) }), { status: "ready", attempt: 0 });
  },

  "keeps a long handler's job by renewing its lease": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const begun = createGate();
    const go = createGate();
    const attempts: number[] = [];
    const other = await fixture.process();
    const handler = async ({ job }: Context) => {
      attempts.push(job.attempt);
      begun.open();
      await go.passed;
      return "kept";
    };
    await fixture.work({ work: handler }, { leaseMs: 30_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await other.work({ work: handler }, { leaseMs: 30_000, pollIntervalMs: 1_000 });
    const renewed = eventLog.untilMany("six renewals", 6, (event) => event.type === "leases-renewed");
    await leapUntil(clock, 3_000, renewed);
    go.open();
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "kept");
    equal("one attempt, longer than its lease", attempts, [1]);
  },

  "renews all its leases with one call per interval": async (fixture) => {
    const { client, clock, state, eventLog } = fixture;
    const go = createGate();
    let begun = 0;
    const allBegun = createGate();
    await fixture.work(
      {
        work: async () => {
          begun += 1;
          if (begun === 20) allBegun.open();
          await go.passed;
          return null;
        },
      },
      { concurrency: 20, leaseMs: 30_000 },
    );
    const chains = await client.startChains({
      items: Array.from({ length: 20 }, () => ({ typeName: "work", input: 1 }) as const),
    });
    await inTime("all begin", allBegun.passed);
    clock.leap(11_000);
    await eventLog.until("a renewal", (event) => event.type === "leases-renewed" && event.count === 20);
    equal("one call", state.calls.get("renew"), 1);
    go.open();
    for (const chain of chains) await inTime("it ends", client.awaitChain(chain));
  },

  "when its process dies, another worker runs its job again once the lease has run out": async (fixture) => {
    const { client, clock } = fixture;
    const doomed = await fixture.process();
    const begun = createGate();
    await doomed.work({ work: () => (begun.open(), new Promise(() => {})) }, { leaseMs: 5_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    doomed.state.kill();
    await fixture.work({ work: ({ job }) => job.attempt });
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("the second attempt", (await leapUntil(clock, 1_000, ended)).output, 2);
  },

  "that returns too late is notified, and changes nothing": async (fixture) => {
    const { client, clock } = fixture;
    const slow = await fixture.process();
    const begun = createGate();
    const codes: string[] = [];
    const notified = createGate();
    await slow.work(
      {
        work: async ({ signal }) => {
          begun.open();
          codes.push(await abortOf(signal));
          notified.open();
          return "late";
        },
      },
      { leaseMs: 5_000 },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    slow.state.away(true);
    clock.leap(5_000);
    await fixture.work({ work: () => "in time" });
    equal("the other's", (await inTime("it ends", client.awaitChain(chain))).output, "in time");
    slow.state.away(false);
    await leapUntil(clock, 5_000, inTime("it is notified", notified.passed));
    equal("why", codes, ["lease-lost"]);
    match("as it was", await client.getChain({ id: chain.id }), { output: "in time" });
  },

  "is listed while it runs, with its types and the number of jobs that it holds": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const go = createGate();
    const worker = await fixture.work(
      {
        work: async () => {
          begun.open();
          await go.passed;
          return null;
        },
        next: () => null,
      },
      { name: "host 7", concurrency: 4, pollIntervalMs: 1_000 },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    await eventually("it says that it holds one", async () => {
      clock.leap(1_000);
      return (await client.listWorkers())[0]?.holds === 1;
    });
    const listed = only("one", await client.listWorkers());
    match("listed", listed, { id: worker.id, name: "host 7", concurrency: 4, holds: 1 });
    equal(
      "its types",
      [...listed.typeNames].toSorted((left, right) => left.localeCompare(right)),
      ["next", "work"],
    );
    match("by job", await client.getJob({ id: firstJobIdOf(chain) }), { status: "running", leasedBy: worker.id });
    go.open();
    await inTime("it ends", client.awaitChain(chain));
    await worker.stop();
    equal("gone at once", await client.listWorkers(), []);
  },

  "reports its health": async (fixture) => {
    const { client, clock } = fixture;
    const before = clock.now();
    const worker = await fixture.work({ work: () => null });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it ends", client.awaitChain(chain));
    const health = worker.health();
    match("running", health, { status: "running", running: 0, waiting: 0 });
    holds("has looked", present("a moment", health.lastLookedAt).getTime() >= before, health);
    await worker.stop();
    match("stopping", worker.health(), { status: "stopping" });
  },

  "deletes chains that ended long ago, and keeps failed ones": async (fixture) => {
    const { client, clock } = fixture;
    const done = await client.startChain({ typeName: "idle", input: 1 });
    await client.completeChain({ id: done.id, typeName: "idle", output: 1 });
    const gone = await client.startChain({ typeName: "idle", input: 1 });
    await client.cancelChain({ id: gone.id });
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: () => {
          throw new Error("no");
        },
      },
    });
    const failed = await client.startChain({ typeName: "work", input: 1 });
    await inTime(
      "it fails",
      client.awaitChain(failed).catch(() => {}),
    );
    await eventually("cleared", async () => {
      clock.leap(24 * 3_600_000);
      return (await client.getChain({ id: gone.id })) === undefined;
    });
    equal("the completed one too", await client.getChain({ id: done.id }), undefined);
    match("failed ones stay", await client.getChain({ id: failed.id }), { status: "failed" });
  },

  "an idle worker makes no call between two looks": async (fixture) => {
    const { client, clock, state, eventLog } = fixture;
    await fixture.work({ work: () => null }, { pollIntervalMs: 60_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    const ended = inTime("it ends", client.awaitChain(chain));
    await (fixture.notify === undefined ? leapUntil(clock, 60_000, ended) : ended);
    await eventually("its last look found nothing", () => {
      const last = eventLog.seen.findLast(({ type }) => type === "exchanged");
      return last?.type === "exchanged" && last.claimed === 0;
    });
    // One more may be under way.
    for (let turn = 0; turn < 10; turn += 1) await clock.yield();
    const looks = state.calls.get("exchange");
    for (let turn = 0; turn < 10; turn += 1) {
      clock.leap(5_000);
      await clock.yield();
    }
    equal("at rest", state.calls.get("exchange"), looks);
  },
});
