import { equal, match } from "../check.ts";
import { endAll, leapToEnd, looked } from "./counting-parcels.ts";
import { firstJobIdOf } from "./first-job.ts";
import { behaviours } from "./group.ts";
import { withShop, type ParcelContext } from "./limited-shop.ts";

export const holdKeyCases = behaviours("limits: holdKey", {
  "closes the key of the job for all workers, and the attempt does not count": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 5 } }, async (shop) => {
      const begun: string[] = [];
      let isBusy = true;
      const handler = async ({ job, holdKey }: ParcelContext): Promise<string> => {
        begun.push(`${job.input.shop} ${job.input.n}.${job.attempt}`);
        if (job.input.shop === "a" && isBusy) holdKey({ limit: "shop", forMs: 600_000 });
        return "done";
      };
      await shop.work(handler, { concurrency: 1 });
      const [first, ...others] = await shop.start("label", "a", 4);
      await fixture.eventLog.until("it is paused", ({ type }) => type === "limit-paused");
      await fixture.eventLog.until("it is put off", ({ type }) => type === "job-retried");
      await shop.workElsewhere(handler, { concurrency: 3 });
      await endAll(shop, await shop.start("label", "b", 2));
      await looked(shop);
      equal("one of the key", begun.filter((name) => name.startsWith("a")).length, 1);
      equal(
        "its job waits",
        (await shop.client.getJob({ id: firstJobIdOf(first ?? { id: "" }) }))?.status,
        "scheduled",
      );
      isBusy = false;
      fixture.clock.leap(600_000);
      await leapToEnd(fixture, shop, [first ?? { id: "" }, ...others]);
      equal("the same attempt again", begun.filter((name) => name === begun[0]).length, 2);
    }),

  "gives back the jobs of the key that its worker has claimed ahead of its slots": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 100 }, door: { concurrency: 1_000 } }, async (shop) => {
      let [begun, isBusy] = [0, true];
      const chains = [];
      for (let n = 1; n <= 30; n += 1) chains.push(...(await shop.start("label", `shop ${n}`)));
      await shop.work(
        async ({ holdKey }) => {
          begun += 1;
          if (isBusy && begun >= 10) holdKey({ limit: "door", forMs: 600_000 });
          return "done";
        },
        { concurrency: 1, prefetch: 20 },
      );
      await fixture.eventLog.until("it is paused", ({ type }) => type === "limit-paused");
      await fixture.eventLog.until("it is put off", ({ type }) => type === "job-retried");
      await looked(shop);
      equal("none after it", begun, 10);
      isBusy = false;
      fixture.clock.leap(600_000);
      await leapToEnd(fixture, shop, chains);
    }),

  "of a limit that the job is not under is refused, and the attempt fails": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 5 } }, async (shop) => {
      await shop.work(async ({ job, holdKey }) => {
        if (job.attempt === 1) holdKey({ limit: job.input.shop === "free" ? "shop" : "dor", forMs: 1_000 });
        return "done";
      });
      const chains = [...(await shop.start("label", "a")), ...(await shop.start("label", "free"))];
      await leapToEnd(fixture, shop, chains);
      const reasons = fixture.eventLog.seen.flatMap((event) =>
        event.type === "job-retried" ? [`${event.reason} ${event.error?.name}`] : [],
      );
      equal("both", reasons, ["error limit-not-found", "error limit-not-found"]);
    }),

  "takes another key, which need not be that of the job": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 5 } }, async (shop) => {
      await shop.work(async ({ job, holdKey }) => {
        if (job.input.shop === "free") holdKey({ limit: "shop", key: "a", forMs: 1_000 });
        return "done";
      });
      await shop.start("label", "free");
      await fixture.eventLog.until("it is paused", ({ type }) => type === "limit-paused");
      const [a] = (await shop.client.listLimits({ limit: "shop", key: "a" })).items;
      match("paused", a, { isPaused: true });
    }),
});
