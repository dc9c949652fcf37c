import { equal, match, only, present } from "../check.ts";
import { counting, endAll, looked } from "./counting-parcels.ts";
import { eventually } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { withShop, type Shop } from "./limited-shop.ts";

async function reasonOf({ client }: Shop, chain: { readonly id: string } | undefined): Promise<string | undefined> {
  const id = firstJobIdOf(present("a chain", chain));
  return (await client.explainJob({ id }))?.reason;
}

export const limitsShownCases = behaviours("limits", {
  "explainJob names the limit that a job waits for, and what is before it": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 2 } }, async (shop) => {
      const { client } = shop;
      const { handler, gate, of } = counting();
      await shop.work(handler, { concurrency: 10 });
      const chains = await shop.start("label", "a", 5);
      await eventually("two run", () => of("a") === 2);
      await looked(shop);
      const [first, , third, , fifth] = chains;
      equal(
        "the third",
        await reasonOf(shop, third),
        'It waits for a place: "shop" of "a" has 2 of 2; 0 other jobs are before it in its lane.',
      );
      equal(
        "the fifth",
        await reasonOf(shop, fifth),
        'It waits for a place: "shop" of "a" has 2 of 2; 2 other jobs are before it in its lane.',
      );
      const explained = present("explained", await client.explainJob({ id: firstJobIdOf(present("a chain", fifth)) }));
      match("by data", only("a limit", explained.limitedBy), { limit: "shop", key: "a", running: 2, concurrency: 2 });
      match("one that runs", await client.explainChain({ id: present("a chain", first).id }), { limitedBy: [] });
      await client.pauseLimit({ limit: "shop", key: "a" });
      equal(
        "paused",
        await reasonOf(shop, fifth),
        'It waits, because the limit "shop" of "a" is paused until it is resumed.',
      );
      await client.resumeLimit({ limit: "shop", key: "a" });
      gate.open();
      await endAll(shop, chains);
    }),

  "explainJob of a job that keeps its place for a retry does not name that place as the reason": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1, whileRetrying: "hold" } }, async (shop) => {
      const worker = await shop.work(() => Promise.reject(new Error("not yet")));
      const [first, second] = await shop.start("label", "a", 2);
      await fixture.eventLog.until("it waits", ({ type }) => type === "job-retried");
      worker.pause();
      fixture.clock.leap(2_000);
      const explained = async (chain: { readonly id: string } | undefined) =>
        await shop.client.explainJob({ id: firstJobIdOf(present("a chain", chain)) });
      match("the one that keeps it", await explained(first), { status: "ready", limitedBy: [] });
      match("the next one", only("a limit", (await explained(second))?.limitedBy ?? []), {
        running: 1,
        concurrency: 1,
      });
    }),

  "explainJob says when a rate is used up, and until when": async (fixture) =>
    await withShop(fixture, { shop: { rate: { count: 1, perMs: 600_000 } } }, async (shop) => {
      const { handler, gate } = counting();
      gate.open();
      await shop.work(handler);
      const [, second] = await shop.start("label", "a", 2);
      await fixture.eventLog.until("one", ({ type }) => type === "chain-completed");
      await looked(shop);
      const reason = await reasonOf(shop, second);
      equal("begins", reason?.split(" until ")[0], 'It waits, because the rate of the limit "shop" of "a" is used up');
    }),

  "explainJob says that no worker has declared a limit": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate } = counting();
      gate.open();
      const [started] = await shop.start("label", "a");
      await shop.workElsewhere(handler, {}, {});
      await endAll(shop, await shop.start("sweep", "none", 2));
      equal(
        "undeclared",
        await reasonOf(shop, started),
        'It waits, because no worker has declared the limit "shop": start a worker whose client has it.',
      );
      await shop.work(handler);
      await leapUntil(fixture.clock, 1_000, endAll(shop, [present("a chain", started)]));
    }),

  "jobs that wait for a limit are counted as ready, and apart": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate, of } = counting();
      await shop.work(handler, { concurrency: 10 });
      const chains = await shop.start("label", "a", 4);
      await eventually("one runs", () => of("a") === 1);
      await looked(shop);
      const counts = present("counts", (await shop.client.countJobs()).label);
      match("counts", counts, { ready: 3, running: 1, limited: 3, oldestReadyMs: undefined });
      equal("an age", typeof counts.oldestLimitedMs, "number");
      equal("the others have none", (await shop.client.countJobs()).sweep?.limited, undefined);
      equal("listed as ready", (await shop.client.listJobs({ status: "ready" })).items.length, 3);
      gate.open();
      await endAll(shop, chains);
      equal("none", (await shop.client.countJobs()).label?.limited, undefined);
    }),

  "a worker reports a sample of the keys for which jobs wait, once a minute": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate, of } = counting();
      await shop.work(handler, { concurrency: 10 });
      const chains = await shop.start("label", "a", 2);
      await eventually("one runs", () => of("a") === 1);
      const reported = fixture.eventLog.until("reported", ({ type }) => type === "limit-reached");
      const event = await leapUntil(fixture.clock, 5_000, reported);
      match("it", event, { type: "limit-reached", limit: "shop", key: "a", running: 1, waiting: 1, concurrency: 1 });
      gate.open();
      await endAll(shop, chains);
    }),
});
