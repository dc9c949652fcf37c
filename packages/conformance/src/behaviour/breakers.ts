import type { BreakerOptions } from "chainwright";
import { equal, match, present } from "../check.ts";
import { endAll, leapToEnd, looked } from "./counting-parcels.ts";
import { eventually } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import type { AppFixture } from "./fixture.ts";
import { behaviours } from "./group.ts";
import { withShop, type ParcelContext, type Shop } from "./limited-shop.ts";

const isOutage = (error: unknown): boolean => error instanceof Error && error.message === "down";
const breaker: BreakerOptions = { failures: 3, withinMs: 3_600_000, openMs: 600_000, counts: isOutage };
const shop = { concurrency: 5, breaker } as const;

/** A service that is down until it is told otherwise. */
function service() {
  const begun: string[] = [];
  const state = { isDown: true, running: 0, most: 0 };
  const handler = async ({ job }: ParcelContext): Promise<string> => {
    begun.push(`${job.input.shop} ${job.input.n}.${job.attempt}`);
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    await Promise.resolve();
    state.running -= 1;
    if (state.isDown && job.input.shop === "a") throw new Error("down");
    return "done";
  };
  return { handler, begun, state, of: (name: string) => begun.filter((each) => each.startsWith(name)).length };
}

function opened({ eventLog }: AppFixture, times: number): Promise<void> {
  return eventLog.untilMany(`it opens ${times} times`, times, ({ type }) => type === "limit-opened");
}

async function reasonOf({ client }: Shop, chain: { readonly id: string } | undefined): Promise<string> {
  const id = firstJobIdOf(present("a chain", chain));
  return (await client.explainJob({ id }))?.reason ?? "none";
}

export const breakerCases = behaviours("limits: breaker", {
  "closes a key after as many failures of any worker, lets one job at a time try it, and ends with a success": async (
    fixture,
  ) =>
    await withShop(fixture, { shop }, async (own) => {
      const { handler, of, state } = service();
      await own.work(handler, { concurrency: 1 });
      await own.workElsewhere(handler, { concurrency: 1 });
      const chains = await own.start("label", "a", 10);
      await opened(fixture, 1);
      await endAll(own, await own.start("label", "b", 3));
      await looked(own);
      const before = of("a");
      // The other worker may have had one under way when the third failed.
      equal("three, or four", before === 3 || before === 4, true);
      match("open", (await own.client.listLimits({ limit: "shop", key: "a" })).items[0]?.breaker, {
        state: "open",
        failures: 3,
      });
      const reason = await reasonOf(own, chains[9]);
      equal("said", reason.split(" until ")[0], 'It waits, because the limit "shop" of "a" is closed after 3 failures');
      fixture.clock.leap(600_000);
      await opened(fixture, 2);
      await looked(own);
      equal("one tried it", of("a"), before + 1);
      state.isDown = false;
      state.most = 0;
      fixture.clock.leap(600_000);
      await fixture.eventLog.until("it is closed", ({ type }) => type === "limit-closed");
      await leapToEnd(fixture, own, chains);
      match("normal", (await own.client.listLimits({ limit: "shop", key: "a" })).items[0], { breaker: undefined });
      equal(
        "opened twice",
        fixture.eventLog.count(({ type }) => type === "limit-opened"),
        2,
      );
    }),

  "counts no failure that counts refuses, no attempt that was put off, and no handler that was stopped": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { concurrency: 5, breaker: { ...breaker, failures: 1 } } }, async (own) => {
      await own.work(async ({ job, reschedule, holdKey }) => {
        if (job.attempt > 1 || job.input.n === 4) return "done";
        if (job.input.n === 1) throw new Error("not found");
        if (job.input.n === 2) holdKey({ limit: "shop", key: "other", forMs: 1_000 });
        return reschedule({ afterMs: 3_600_000 });
      });
      const [first, ...others] = await own.start("label", "a", 4);
      await endAll(own, others.slice(2));
      await fixture.eventLog.untilMany("two are put off", 3, ({ type }) => type === "job-retried");
      await leapToEnd(fixture, own, [present("a chain", first)]);
      equal(
        "never opened",
        fixture.eventLog.count(({ type }) => type === "limit-opened"),
        0,
      );
    }),

  "an attempt that called reschedule or holdKey has not failed": async (fixture) =>
    await withShop(
      fixture,
      { shop: { concurrency: 5, breaker: { ...breaker, failures: 1, counts: () => true } } },
      async (own) => {
        await own.work(async ({ job, reschedule, holdKey }) => {
          if (job.input.n === 1) holdKey({ limit: "shop", key: "other", forMs: 3_600_000 });
          return reschedule({ afterMs: 3_600_000 });
        });
        await own.start("label", "a", 2);
        await fixture.eventLog.untilMany("both are put off", 2, ({ type }) => type === "job-retried");
        await looked(own);
        equal(
          "never opened",
          fixture.eventLog.count(({ type }) => type === "limit-opened"),
          0,
        );
      },
    ),

  "a mistake in counts is reported, and the failure does not count": async (fixture) =>
    await withShop(
      fixture,
      {
        shop: {
          concurrency: 5,
          breaker: {
            ...breaker,
            failures: 1,
            counts: () => {
              throw new Error("a mistake");
            },
          },
        },
      },
      async (own) => {
        const { handler, state } = service();
        await own.work(handler);
        const chains = await own.start("label", "a");
        await fixture.eventLog.until("it is reported", ({ type }) => type === "handler-mistake");
        state.isDown = false;
        await leapToEnd(fixture, own, chains);
        equal(
          "never opened",
          fixture.eventLog.count(({ type }) => type === "limit-opened"),
          0,
        );
      },
    ),

  "resumeLimit ends it": async (fixture) =>
    await withShop(fixture, { shop }, async (own) => {
      const { handler, state } = service();
      await own.work(handler, { concurrency: 1 });
      const chains = await own.start("label", "a", 5);
      await opened(fixture, 1);
      state.isDown = false;
      await own.client.resumeLimit({ limit: "shop", key: "a" });
      await endAll(own, chains.slice(3));
      await leapToEnd(fixture, own, chains);
      equal(
        "opened once",
        fixture.eventLog.count(({ type }) => type === "limit-opened"),
        1,
      );
      equal(
        "closed by no probe",
        fixture.eventLog.count(({ type }) => type === "limit-closed"),
        0,
      );
    }),

  "counts a handler that has not ended in time": async (fixture) =>
    await withShop(
      fixture,
      { shop: { concurrency: 5, breaker: { ...breaker, failures: 1, counts: () => true } } },
      async (own) => {
        await own.work(() => new Promise(() => undefined), { timeoutMs: 1_000 });
        await own.start("label", "a");
        await eventually(
          "it runs",
          async () => (await own.client.listLimits({ limit: "shop" })).items[0]?.running === 1,
        );
        fixture.clock.leap(1_000);
        await opened(fixture, 1);
      },
    ),
});
