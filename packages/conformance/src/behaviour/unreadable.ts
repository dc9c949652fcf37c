import { defineVersions, stored } from "chainwright";
import { equal, holds, match, only } from "../check.ts";
import { eventually, inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { behaviours } from "./group.ts";
import { thirdTypes, withReleases } from "./releases.ts";

const newest = { cents: 1, currency: "CHF" } as const;

export const unreadableCases = behaviours("unserved and unreadable", {
  "a worker is listed with its package, the number of its code, and the versions that it reads": (fixture) =>
    withReleases(fixture, async ({ first, third, workFirst, workThird }) => {
      const older = await workFirst();
      const newer = await workThird();
      await eventually("both are listed", async () => (await first.listWorkers()).length === 2);
      const workers = await third.listWorkers();
      const listed = (id: string) =>
        only(
          "one",
          workers.filter((worker) => worker.id === id),
        );
      match("the older one", listed(older.id), { versions: {}, codeVersion: 1, pools: [null] });
      match("the newer one", listed(newer.id), { versions: { charge: 3 }, codeVersion: 3 });
      holds("its package", /^\d+\.\d+\.\d+/u.test(listed(newer.id).packageVersion ?? ""), listed(newer.id));
    }),

  "a job of a version that no live worker reads is explained, with the number of such jobs": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workSecond }) => {
      await workSecond();
      await eventually("it is listed", async () => (await first.listWorkers()).length === 1);
      const items = Array.from({ length: 12 }, () => ({ typeName: "charge", input: newest }) as const);
      const chains = await third.startChains({ items });
      const summary = "12 jobs like this wait for version 3 of charge; live workers know up to 2.";
      for (const { id } of chains.slice(0, 2)) {
        const explained = await second.explainJob({ id: firstJobIdOf({ id }) });
        match("explained", explained ?? {}, { status: "ready", summary, workers: [] });
      }
      const readable = await second.startChain({ typeName: "charge", input: { cents: 1 } });
      await inTime("what it reads ends", second.awaitChain(readable));
    }),

  "jobs are counted by version and pool, with the number of live workers that claim them": (fixture) =>
    withReleases(fixture, async ({ first, second, third, workSecond }) => {
      await workSecond();
      await eventually("it is listed", async () => (await first.listWorkers()).length === 1);
      await third.startChains({ items: [newest, newest].map((input) => ({ typeName: "charge", input }) as const) });
      const later = { schedule: { afterMs: 3_600_000 } };
      await second.startChain({ typeName: "charge", input: { cents: 1 }, ...later });
      await second.startChain({ typeName: "charge", input: { cents: 1 }, pool: "gpu", ...later });
      const none = { ready: 0, scheduled: 0, running: 0 };
      equal("counted", await first.countQueuedJobs(), [
        { typeName: "charge", version: 2, pool: undefined, ...none, scheduled: 1, workers: 1 },
        { typeName: "charge", version: 2, pool: "gpu", ...none, scheduled: 1, workers: 0 },
        { typeName: "charge", version: 3, pool: undefined, ...none, ready: 2, workers: 0 },
      ]);
    }),

  "what cannot be read is listed page by page, with the reason and without payloads": (fixture) =>
    withReleases(fixture, async ({ first, second, third, thirdWith }) => {
      const newer = await third.startChain({ typeName: "charge", input: newest });
      const older = await first.startChain({ typeName: "charge", input: { amount: 1 } });
      const ended = await first.startChain({ typeName: "charge", input: { amount: 2 } });
      await first.cancelChain({ id: ended.id });
      equal("nothing for the newest release", await third.listUnreadable(), {
        items: [],
        scanned: 2,
        nextCursor: undefined,
      });
      const { items, scanned } = await second.listUnreadable();
      equal("all open jobs were read", scanned, 2);
      const listed = only("one", items);
      match("the newer one", listed, {
        id: firstJobIdOf(newer),
        typeName: "charge",
        payload: "input",
        version: 3,
        reason: "newer-version",
      });
      const broken = thirdWith(
        defineVersions({
          jobTypes: thirdTypes,
          inputs: {
            charge: stored<{ amount: number }>()
              .then((): { cents: number } => {
                throw new TypeError("no such field");
              })
              .then((v2) => ({ ...v2, currency: "EUR" })),
          },
        }),
      );
      match("the older one", only("one", (await broken.listUnreadable({ typeName: "charge" })).items), {
        id: firstJobIdOf(older),
        version: 1,
        reason: "upcaster",
      });
      const found: unknown[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await second.listUnreadable({ maxScanned: 1, cursor });
        found.push(...page.items);
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== undefined && pages < 10);
      equal("the same in pages of one job", found, items);
      equal("none of another type", (await second.listUnreadable({ typeName: "order" })).scanned, 0);
    }),

  "a job whose blocker could not be read is listed": (fixture) =>
    withReleases(fixture, async ({ first, third, workFirst, workThird }) => {
      const order = await third.startChain({ typeName: "order", input: { id: "o" } });
      const newer = await workThird();
      await inTime("it ends", third.awaitChain(order));
      await newer.stop();
      const report = await first.startChain({ typeName: "report", input: null, blockers: [order] });
      await workFirst();
      await fixture.eventLog.until("it was put off", ({ type }) => type === "job-retried");
      match("listed", only("one", (await first.listUnreadable()).items), {
        id: firstJobIdOf(report),
        typeName: "report",
        payload: "output",
        version: 2,
        reason: "newer-version",
      });
      equal("the newer release reads it", (await third.listUnreadable()).items, []);
    }),
});
