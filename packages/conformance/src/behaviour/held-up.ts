import { equal, match } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import type { Process, AppFixture } from "./fixture.ts";
import { eventually, inTime } from "./event-log.ts";

const leaseMs = 30_000;

/** A worker in a process of its own, one of whose attempts ends with an outcome that others hold the rows of. */
async function heldUp(fixture: AppFixture) {
  const lonely = await fixture.process();
  lonely.state.holdRowsOf("stuck");
  let runs = 0;
  const handlers = {
    work: ({ job }: { readonly job: { readonly input: unknown } }) => {
      if (job.input === "stuck") runs += 1;
      return job.input;
    },
  };
  const worker = await lonely.work(handlers, { leaseMs, pollIntervalMs: 1_000 });
  const chain = await fixture.client.startChain({ typeName: "work", input: "stuck" });
  await eventually("it waits", () => (lonely.state.calls.get("settle") ?? 0) > 0);
  return { lonely, worker, chain, handlers, runs: () => runs };
}

async function neighbours(fixture: AppFixture, count: number): Promise<void> {
  const chains = await fixture.client.startChains({
    items: Array.from({ length: count }, (_, index) => ({ typeName: "work", input: index }) as const),
  });
  for (const chain of chains) await inTime("a neighbour ends", fixture.client.awaitChain(chain));
}

/** Leaps in steps, with time for renewals between them. */
async function pass({ clock }: AppFixture, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += leaseMs / 6) {
    clock.leap(leaseMs / 6);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

const reports = (fixture: AppFixture, type: string) => fixture.eventLog.count((event) => event.type === type);

export const heldUpCases = behaviours("an outcome whose rows others hold", {
  "waits by itself while its neighbours end, keeps its lease, and is handed in once": async (fixture) => {
    const { lonely, worker, chain, runs } = await heldUp(fixture);
    const other = await fixture.process();
    await other.work({ work: ({ job }) => `${String(job.input)} elsewhere` }, { pollIntervalMs: 1_000 });
    await neighbours(fixture, 20);
    await pass(fixture, 3 * leaseMs);
    await inTime(
      "it is reported",
      fixture.eventLog.until("held up", (event) => event.type === "outcome-held-up" && event.jobId === chain.id),
    );
    match("its health", worker.health(), { status: "running" });
    match("one outcome waits", worker.health().heldUp, { count: 1 });
    match("the chain", await fixture.client.getChain({ id: chain.id }), { status: "active" });
    lonely.state.holdRowsOf(undefined);
    const ended = inTime("it ends", fixture.client.awaitChain(chain));
    equal("its own output", (await leapUntil(fixture.clock, 500, ended)).output, "stuck");
    equal("one run", runs(), 1);
    equal("reported once", reports(fixture, "outcome-held-up"), 1);
    equal("no outcome waits", worker.health().heldUp, undefined);
    equal("the store was there", reports(fixture, "store-lost"), 0);
    equal("the lease was kept", reports(fixture, "lease-lost"), 0);
  },

  "is given up by a worker that stops, in bounded time, and the job runs again": async (fixture) => {
    const { worker, chain } = await heldUp(fixture);
    await leapUntil(fixture.clock, 1_000, inTime("it stops", worker.stop({ timeoutMs: 5_000 })));
    const other = await fixture.process();
    await other.work({ work: () => "again" }, { pollIntervalMs: 1_000 });
    const ended = inTime("it ends", fixture.client.awaitChain(chain));
    equal("run again", (await leapUntil(fixture.clock, 5_000, ended)).output, "again");
  },

  "is handed in by a worker that stops, where it becomes free in time": async (fixture) => {
    const { lonely, worker, chain } = await heldUp(fixture);
    const stopped = inTime("it stops", worker.stop({ timeoutMs: 60_000 }));
    lonely.state.holdRowsOf(undefined);
    await leapUntil(fixture.clock, 100, stopped);
    match("the chain", await fixture.client.getChain({ id: chain.id }), { status: "completed", output: "stuck" });
  },

  "does not keep its job from running again when its process dies": async (fixture) => {
    const { lonely, chain } = await heldUp(fixture);
    lonely.state.kill();
    const other = await fixture.process();
    await other.work({ work: () => "again" }, { pollIntervalMs: 1_000 });
    const ended = inTime("it ends", fixture.client.awaitChain(chain));
    equal("run again", (await leapUntil(fixture.clock, 5_000, ended)).output, "again");
  },

  "ends as cancelled when the chain is cancelled meanwhile, without a report of a lost store": async (fixture) => {
    const { lonely, chain } = await heldUp(fixture);
    await fixture.client.cancelChain({ id: chain.id });
    lonely.state.holdRowsOf(undefined);
    const lost = fixture.eventLog.until(
      "the cancellation is reported",
      (event) => event.type === "lease-lost" && event.jobId === chain.id && event.reason === "cancelled",
    );
    await leapUntil(fixture.clock, 500, inTime("the cancellation is reported", lost));
    equal("the store was there", reports(fixture, "store-lost"), 0);
  },

  "does not count as a lost store in a batch that loses its races, and each outcome is handed in by itself": async (
    fixture,
  ) => {
    const lonely = await fixture.process();
    const go = createGate();
    let begun = 0;
    await lonely.work(
      {
        work: async ({ job }) => {
          begun += 1;
          if (begun === 8) go.open();
          await go.passed;
          return job.input;
        },
      },
      { concurrency: 8 },
    );
    const items = Array.from({ length: 8 }, (_, index) => ({ typeName: "work", input: index }) as const);
    void go.passed.then(() => lonely.state.loseRaces(["exchange", "settle"], 2));
    const chains = await fixture.client.startChains({ items });
    for (const chain of chains) {
      const ended = inTime("it ends", fixture.client.awaitChain(chain));
      equal("its output", (await leapUntil(fixture.clock, 100, ended)).output, chain.input);
    }
    equal("the store was there", reports(fixture, "store-lost"), 0);
    equal("each once", reports(fixture, "job-completed"), 8);
  },
});

/** A worker whose exchange is carried out, and whose reply takes longer than a worker waits. */
async function overdue(
  fixture: AppFixture,
): Promise<{ readonly lonely: Process; readonly chainId: string; lastly(): Promise<void> }> {
  const lonely = await fixture.process();
  const [begun, go] = [createGate(), createGate()];
  await lonely.work(
    {
      work: async () => {
        begun.open();
        await go.passed;
        return "done";
      },
    },
    { leaseMs: 3_600_000, pollIntervalMs: 1_000, concurrency: 1, prefetch: 0 },
  );
  const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
  await inTime("it begins", begun.passed);
  lonely.state.detainReplies(true);
  go.open();
  await eventually(
    "it is settled",
    async () => (await fixture.client.getChain({ id: chain.id }))?.status === "completed",
  );
  const settles = lonely.state.calls.get("exchange") ?? 0;
  await leapUntil(
    fixture.clock,
    5_000,
    inTime(
      "it is given up",
      fixture.eventLog.until("store-lost", (event) => event.type === "store-lost"),
    ),
  );
  return {
    lonely,
    chainId: chain.id,
    async lastly() {
      await leapUntil(
        fixture.clock,
        1_000,
        eventually("it is sent again", () => (lonely.state.calls.get("exchange") ?? 0) > settles),
      );
      lonely.state.detainReplies(false);
    },
  };
}

export const lateReplyCases = behaviours("an exchange whose reply is late", {
  "reports what it settled once, and reports no lost lease": async (fixture) => {
    const { chainId, lastly } = await overdue(fixture);
    await lastly();
    const completed = fixture.eventLog.until(
      "it is reported",
      (event) => event.type === "job-completed" && event.jobId === chainId,
    );
    await leapUntil(fixture.clock, 1_000, inTime("it is reported", completed));
    await fixture.client.awaitChain({ id: chainId });
    await neighboursOf(fixture);
    equal(
      "once",
      fixture.eventLog.count(({ type }) => type === "job-completed"),
      2,
    );
    equal(
      "the chain's end too",
      fixture.eventLog.count(({ type }) => type === "chain-completed"),
      2,
    );
    equal("no lease was lost", reports(fixture, "lease-lost"), 0);
  },

  "runs what it claimed": async (fixture) => {
    const { lonely, lastly } = await overdue(fixture);
    // The exchange that is under way may have taken it.
    const chain = await fixture.client.startChain({ typeName: "work", input: 2 });
    await lastly();
    const ended = inTime("it ends", fixture.client.awaitChain(chain));
    equal("run", (await leapUntil(fixture.clock, 1_000, ended)).output, "done");
    equal("its process is alive", lonely.state.isDead(), false);
  },
});

/** Starts one more job, and waits for its end. */
async function neighboursOf(fixture: AppFixture): Promise<void> {
  const chain = await fixture.client.startChain({ typeName: "work", input: 2 });
  await leapUntil(fixture.clock, 1_000, inTime("it ends", fixture.client.awaitChain(chain)));
}

export const readOnlyCases = behaviours("with a store that takes no writes", {
  "a worker reports this and not a lost store, and recovers by itself": async (fixture) => {
    const lonely = await fixture.process();
    const worker = await lonely.work({ work: () => "back" }, { pollIntervalMs: 1_000 });
    lonely.state.readOnly(true);
    const reported = fixture.eventLog.until("store-read-only", (event) => event.type === "store-read-only");
    await leapUntil(fixture.clock, 1_000, inTime("it is reported", reported));
    match("its health", worker.health(), { status: "store-read-only" });
    equal("not lost", reports(fixture, "store-lost"), 0);
    lonely.state.readOnly(false);
    const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
    const ended = inTime("it ends", fixture.client.awaitChain(chain));
    equal("back", (await leapUntil(fixture.clock, 1_000, ended)).output, "back");
    match("its health", worker.health(), { status: "running" });
    equal("the recovery is reported", reports(fixture, "store-restored"), 1);
  },

  "because every call waits for a lock, a worker reports this after a while": async (fixture) => {
    const lonely = await fixture.process();
    const worker = await lonely.work({ work: () => "back" }, { pollIntervalMs: 1_000 });
    lonely.state.loseRaces(["exchange"], 1_000);
    const reported = fixture.eventLog.until("store-locked", (event) => event.type === "store-locked");
    await leapUntil(fixture.clock, 1_000, inTime("it is reported", reported));
    match("its health", worker.health(), { status: "store-locked" });
    lonely.state.loseRaces(["exchange"], 0);
    const restored = fixture.eventLog.until("store-restored", (event) => event.type === "store-restored");
    await leapUntil(fixture.clock, 1_000, inTime("it is back", restored));
    match("its health", worker.health(), { status: "running" });
    equal("never lost", reports(fixture, "store-lost"), 0);
  },
});
