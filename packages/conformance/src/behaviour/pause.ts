import { createWorker } from "chainwright";
import { equal, match } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { processorsOf } from "./handlers.ts";
import { leapUntil } from "./leaping-clock.ts";

export const pauseCases = behaviours("pausing", {
  "takes no more work, and lets running handlers end and settles their results": async (fixture) => {
    const { client, clock } = fixture;
    const [begun, go] = [createGate(), createGate()];
    const worker = await fixture.work({
      work: async () => {
        begun.open();
        await go.passed;
        return "done";
      },
    });
    const first = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    worker.pause();
    equal("says so", worker.health().status, "paused");
    const second = await client.startChain({ typeName: "work", input: 2 });
    go.open();
    match("handed in", await inTime("it ends", client.awaitChain(first)), { output: "done" });
    clock.leap(120_000);
    await clock.yield();
    match("left", await client.getJob({ id: firstJobIdOf(second) }), { status: "ready", attempt: 0 });
  },

  "takes what waits as soon as it is resumed": async (fixture) => {
    const { client } = fixture;
    const worker = await fixture.work({ work: () => "done" });
    worker.pause();
    worker.pause();
    const chain = await client.startChain({ typeName: "work", input: 1 });
    worker.resume();
    equal("says so", worker.health().status, "running");
    match("ran", await inTime("it ends", client.awaitChain(chain)), { output: "done" });
    const told = fixture.eventLog.seen.map(({ type }) => type);
    equal(
      "reported once each",
      told.filter((type) => type === "worker-paused" || type === "worker-resumed"),
      ["worker-paused", "worker-resumed"],
    );
  },

  "claims nothing if it was paused before its start, until it is resumed": async (fixture) => {
    const { client } = fixture;
    const worker = createWorker({ client, processors: [processorsOf(client, { work: () => "done" })] });
    worker.pause();
    await worker.start();
    const chain = await client.startChain({ typeName: "work", input: 1 });
    fixture.clock.leap(120_000);
    await fixture.clock.yield();
    match("left", await client.getJob({ id: firstJobIdOf(chain) }), { status: "ready", attempt: 0 });
    worker.resume();
    match("ran", await inTime("it ends", client.awaitChain(chain)), { output: "done" });
    await worker.stop();
  },

  "gives back the jobs that have not begun, which another worker takes, and their attempts do not count": async (
    fixture,
  ) => {
    const { client } = fixture;
    const go = createGate();
    let [quick, begun] = [0, 0];
    // Quick jobs make it claim ahead; then all slots are taken and the rest waits.
    const worker = await fixture.work(
      {
        work: async ({ job }) => {
          if (job.input === "quick") return (quick += 1);
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
    worker.pause();
    await fixture.work({ work: () => "by another" });
    const others = chains.slice(42);
    for (const chain of others) {
      match("taken", await inTime("it ends", client.awaitChain(chain)), { output: "by another" });
      match("not counted", await client.getJob({ id: firstJobIdOf(chain) }), { attempt: 1 });
    }
    go.open();
    for (const chain of chains.slice(40, 42))
      match("ends", await inTime("it ends", client.awaitChain(chain)), { output: "slow" });
    equal("quick ones", quick, 40);
  },

  "renews the leases of running handlers": async (fixture) => {
    const { client, clock, eventLog } = fixture;
    const [begun, go] = [createGate(), createGate()];
    const attempts: number[] = [];
    const handler = async ({ job }: { readonly job: { readonly attempt: number } }): Promise<string> => {
      attempts.push(job.attempt);
      begun.open();
      await go.passed;
      return "done";
    };
    const worker = await fixture.work({ work: handler }, { leaseMs: 30_000 });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    worker.pause();
    const other = await fixture.process();
    await other.work({ work: handler }, { leaseMs: 30_000, pollIntervalMs: 1_000 });
    await leapUntil(
      clock,
      3_000,
      eventLog.untilMany("six renewals", 6, ({ type }) => type === "leases-renewed"),
    );
    go.open();
    match("ends", await inTime("it ends", client.awaitChain(chain)), { output: "done" });
    equal("one attempt, longer than its lease", attempts, [1]);
  },
});
