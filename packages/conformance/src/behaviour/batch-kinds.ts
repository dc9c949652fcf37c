import { createProcessors, createWorker, defineVersions, stored } from "chainwright";
import { equal, match } from "../check.ts";
import { longMs } from "./batch-calls.ts";
import { endAll } from "./counting-parcels.ts";
import { eventually, inTime } from "./event-log.ts";
import { behaviours } from "./group.ts";
import { withShop, type Parcel } from "./limited-shop.ts";
import { thirdTypes, withReleases } from "./releases.ts";

/** Batches of jobs that are under limits, or that several releases have started. */
export const batchKindCases = behaviours("batches", {
  "keep to limits: jobs that gather hold their places, and a batch has at most as many as the limit says": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { concurrency: 2 } }, async (shop) => {
      const calls: (readonly string[])[] = [];
      const worker = await shop.workBatches({
        maxSize: 10,
        maxWaitMs: longMs,
        handler: async ({ jobs }) => {
          calls.push(jobs.map(({ input }: { readonly input: Parcel }) => input.shop).toSorted());
          return jobs.map(() => "labelled");
        },
      });
      const chains = [...(await shop.start("label", "a", 3)), ...(await shop.start("label", "b", 2))];
      await eventually("four gather", () => worker.health().waiting === 4);
      fixture.clock.leap(longMs);
      await eventually("they are handled", () => calls.length === 1);
      await eventually("the last one gathers", () => worker.health().waiting === 1);
      fixture.clock.leap(longMs);
      await endAll(shop, chains);
      equal("calls", calls, [["a", "a", "b", "b"], ["a"]]);
    }),

  "lift the input of each job from its own version, and leave out one that cannot be read": (fixture) =>
    withReleases(fixture, async ({ first, second, third, thirdWith, workers, read }) => {
      const cents = stored<{ amount: number }>().then(
        ({ amount }) => {
          if (amount === 13) throw new RangeError("thirteen");
          return { cents: amount * 100 };
        },
        { back: (v2) => ({ amount: v2.cents / 100 }) },
      );
      const currencies = cents.then((v2) => ({ ...v2, currency: "EUR" }), { back: (v3) => ({ cents: v3.cents }) });
      const scores = stored<{ risk: number }>().then(({ risk }) => ({ score: risk }));
      const own = { jobTypes: thirdTypes, inputs: { charge: currencies }, outputs: { charge: scores } };
      const client = thirdWith(defineVersions(own));
      const chains = [
        await first.startChain({ typeName: "charge", input: { amount: 1 } }),
        await first.startChain({ typeName: "charge", input: { amount: 13 } }),
        await second.startChain({ typeName: "charge", input: { cents: 200 } }),
        await third.startChain({ typeName: "charge", input: { cents: 300, currency: "CHF" } }),
      ];
      const batch = {
        maxSize: 3,
        maxWaitMs: longMs,
        handler: async ({ jobs }: { readonly jobs: readonly { readonly input: { readonly cents: number } }[] }) => {
          read.push(jobs.map(({ input }) => input).toSorted((one, other) => one.cents - other.cents));
          return jobs.map(({ input }) => ({ score: input.cents }));
        },
      };
      const processors = createProcessors({
        client,
        jobTypes: thirdTypes,
        processors: {
          order: async ({ continueWith }) => continueWith({ typeName: "charge", input: { cents: 7, currency: "CHF" } }),
          charge: { batch },
          report: async () => "none",
        },
      });
      const worker = createWorker({ client, processors: [processors], codeVersion: 3, pollIntervalMs: 20 });
      workers.push(worker);
      await worker.start();
      for (const [index, chain] of chains.entries())
        if (index !== 1) match("ends", await inTime("it ends", third.awaitChain(chain)), { status: "completed" });
      equal("one call, one shape", read, [
        [
          { cents: 100, currency: "EUR" },
          { cents: 200, currency: "EUR" },
          { cents: 300, currency: "CHF" },
        ],
      ]);
      await fixture.eventLog.until("the other one is reported", ({ type }) => type === "input-unreadable");
    }),
});
