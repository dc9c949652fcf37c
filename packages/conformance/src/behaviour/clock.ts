import { createClient, createWorker, type Clock } from "chainwright";
import { createSystemClock } from "chainwright/adapter";
import { equal, match } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { processorsOf, type Handlers } from "./handlers.ts";
import { jobTypes } from "./job-types.ts";
import type { AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** The clock of a machine that is wrong by some time, while the store keeps its own time. */
function wrongBy(ms: number): Clock {
  const system = createSystemClock();
  return { ...system, now: () => system.now() + ms };
}

/** A process of its own whose clock is wrong; ends with `stop`. */
async function wrongWorker(fixture: AppFixture, ms: number, handlers: Handlers) {
  const { state } = await fixture.process();
  const client = createClient({ stateAdapter: state.adapter, jobTypes, clock: wrongBy(ms) });
  const worker = createWorker({ client, processors: [processorsOf(client, handlers)], pollIntervalMs: 50 });
  await worker.start();
  return {
    client,
    stop: async () => {
      await worker.stop({ timeoutMs: 0 });
      await client.close();
    },
  };
}

export const clockCases = behaviours("time", {
  "a job that is due in years waits for years, and not for the 25 days of the longest timer": async (fixture) => {
    const { client, clock } = fixture;
    const ran: unknown[] = [];
    await fixture.work({ work: ({ job }) => (ran.push(job.input), job.input) });
    const soon = await client.startChain({ typeName: "work", input: "soon", schedule: { afterMs: 1_000 } });
    const years = await client.startChain({
      typeName: "work",
      input: "ten years",
      schedule: { at: new Date(clock.now() + 3_650 * day) },
    });
    const weeks = await client.startChain({ typeName: "work", input: "25 days", schedule: { afterMs: 2 ** 31 + 1 } });
    await clock.yield();
    equal("none at once", ran, []);
    clock.leap(1_000);
    await inTime("soon", client.awaitChain(soon));
    equal("soon", ran, ["soon"]);
    clock.leap(2 ** 31);
    const afterwards = await client.startChain({ typeName: "work", input: "control" });
    await inTime("control", client.awaitChain(afterwards));
    equal("25 days", (await inTime("weeks", client.awaitChain(weeks))).output, "25 days");
    match("not yet", await client.getJob({ id: firstJobIdOf(years) }), { status: "scheduled" });
    clock.leap(3_650 * day);
    equal("ten years", (await inTime("years", client.awaitChain(years))).output, "ten years");
  },

  "a worker whose clock is wrong by an hour neither runs early nor late, nor takes what others hold": async (
    fixture,
  ) => {
    for (const wrong of [hour, -hour]) {
      const begun = createGate();
      const go = createGate();
      const took: unknown[] = [];
      const keeper = await wrongWorker(fixture, 0, {
        work: async () => {
          begun.open();
          await go.passed;
          return "kept";
        },
      });
      const chain = await keeper.client.startChain({ typeName: "work", input: "held" });
      await inTime("it is held", begun.passed);
      const strange = await wrongWorker(fixture, wrong, {
        work: ({ job }) => (took.push(job.input), "taken"),
        next: ({ job }) => (took.push(job.input), "ran"),
      });
      const half = { schedule: { afterMs: hour / 2 } } as const;
      const later = await keeper.client.startChain({ typeName: "next", input: "in half an hour", ...half });
      const now = await keeper.client.startChain({ typeName: "next", input: "now" });
      const past = { schedule: { at: new Date(Date.now() - 1_000) } } as const;
      const due = await keeper.client.startChain({ typeName: "next", input: "due", ...past });
      equal("runs what is ready", (await inTime("now", keeper.client.awaitChain(now))).output, "ran");
      equal("runs what is due", (await inTime("due", keeper.client.awaitChain(due))).output, "ran");
      const its = await strange.client.startChain({ typeName: "idle", input: 1, ...half });
      const dueAt = (await keeper.client.getJob({ id: firstJobIdOf(its) }))?.scheduledAt?.getTime() ?? 0;
      equal("what it schedules goes by the store's time", Math.abs(dueAt - Date.now() - hour / 2) < hour / 4, true);
      equal("and nothing else", took, ["now", "due"]);
      match("still scheduled", await keeper.client.getJob({ id: firstJobIdOf(later) }), {
        status: "scheduled",
        attempt: 0,
      });
      match("still held", await keeper.client.getJob({ id: firstJobIdOf(chain) }), { status: "running", attempt: 1 });
      go.open();
      equal("by its own", (await inTime("it ends", keeper.client.awaitChain(chain))).output, "kept");
      await strange.client.cancelChain({ id: later.id });
      await strange.stop();
      await keeper.stop();
    }
  },

  "a delay counts from the moment of the start, in the store's time": async (fixture) => {
    const { client, clock } = fixture;
    const before = clock.now();
    const chain = await client.startChain({ typeName: "idle", input: 1, schedule: { afterMs: day } });
    const job = await client.getJob({ id: firstJobIdOf(chain) });
    const due = job?.scheduledAt?.getTime() ?? 0;
    equal("a day later", due >= before + day && due <= clock.now() + day, true);
  },
});
