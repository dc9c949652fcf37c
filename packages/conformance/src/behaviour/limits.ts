import { equal, holds, match, only, rejectsWith } from "../check.ts";
import { counting, endAll, leapToEnd, looked } from "./counting-parcels.ts";
import { eventually } from "./event-log.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { withShop } from "./limited-shop.ts";

export const limitsCases = behaviours("limits", {
  "C1: of each key as many jobs run as the limit says, in two processes together, and other keys run beside it": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { concurrency: 2 } }, async (shop) => {
      const { handler, gate, of, most } = counting();
      await shop.work(handler, { concurrency: 5 });
      await shop.workElsewhere(handler, { concurrency: 5 });
      const chains = [...(await shop.start("label", "a", 9)), ...(await shop.start("label", "b", 3))];
      await eventually("two of each", () => of("a") === 2 && of("b") === 2);
      await looked(shop);
      equal("no more", [of("a"), of("b")], [2, 2]);
      gate.open();
      await endAll(shop, chains);
      equal("never more", [most("a"), most("b")], [2, 2]);
    }),

  "C1: a worker whose client has no limits keeps to those that the jobs were started under": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate, of, most } = counting();
      const declaring = await shop.work(handler, { concurrency: 1 });
      await looked(shop);
      const plain = await shop.workElsewhere(handler, { concurrency: 5 }, {});
      const chains = [...(await shop.start("label", "a", 3)), ...(await shop.start("label", "free", 2))];
      const unlimited = await plain.startChain({ typeName: "label", input: { shop: "a", n: 9 } });
      // It hears of jobs under limits with its next heartbeat at the latest.
      const both = eventually("one, and the one without a limit", () => of("a") === 2 && of("free") === 2);
      await leapUntil(fixture.clock, 1_000, both);
      // A handler that is still at work when its worker has stopped counts as well.
      gate.open();
      await declaring.stop({ timeoutMs: 0 });
      await leapToEnd(fixture, shop, [...chains, unlimited]);
      holds("never two under the limit", (most("a") ?? 0) <= 2, most("a"));
    }),

  "continuations and inline blockers have the keys of their own inputs": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate, begun, most } = counting();
      await shop.work(
        async (context) => {
          const { typeName, input } = context.job;
          if (typeName !== "pack") return await handler(context);
          return context.continueWith({ typeName: "send", input: { shop: "a", n: input.n } });
        },
        { concurrency: 10 },
      );
      const labels = await shop.start("label", "a");
      await eventually("it runs", () => begun.includes("label a 1"));
      const packed = await shop.start("pack", "b");
      const blockers = [{ typeName: "label", input: { shop: "a", n: 7 } }] as const;
      const shipped = await shop.client.startChain({ typeName: "ship", input: { shop: "c", n: 1 }, blockers });
      await fixture.eventLog.until("it continued", ({ type }) => type === "job-continued");
      await looked(shop);
      equal("only the first", begun, ["label a 1"]);
      gate.open();
      await endAll(shop, [...labels, ...packed, shipped]);
      equal("one at a time", most("a"), 1);
      equal("all", begun.toSorted(), ["label a 1", "label a 7", "send a 1", "ship c 1"].toSorted());
    }),

  "two limits of a job are an and: it begins when both have a place": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 2 }, door: { concurrency: 3 } }, async (shop) => {
      const { handler, gate, of, most } = counting();
      await shop.work(handler, { concurrency: 10 });
      const chains = [
        ...(await shop.start("label", "a", 4)),
        ...(await shop.start("label", "b", 4)),
        ...(await shop.start("pack", "c", 2)),
      ];
      const all = (): number => of("a") + of("b") + of("c");
      await eventually("three", () => all() === 3);
      await looked(shop);
      equal("no more than the door lets in", all(), 3);
      gate.open();
      await endAll(shop, chains);
      holds(
        "never three of a shop",
        [most("a"), most("b"), most("c")].every((count = 0) => count <= 2),
        [most("a")],
      );
    }),

  "C5: with fairness only, keys take turns, however many jobs of one key were there before": async (fixture) =>
    await withShop(fixture, { shop: {} }, async (shop) => {
      const { handler, gate, begun } = counting();
      gate.open();
      const many = await shop.start("label", "a", 30);
      const few = await shop.start("label", "b", 3);
      await shop.work(handler, { concurrency: 1, prefetch: 0 });
      await endAll(shop, [...many, ...few]);
      const places = begun.flatMap((name, at) => (name.startsWith("label b") ? [at] : []));
      holds(
        "each after a few of the other",
        places.every((at, index) => at <= 4 * (index + 1)),
        places,
      );
    }),

  "C2: no more attempts begin within the time of a rate than it says, and the next when its time comes": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { rate: { count: 2, perMs: 3_600_000 } } }, async (shop) => {
      const { handler, gate, begun } = counting();
      gate.open();
      await shop.work(handler);
      const chains = await shop.start("label", "a", 3);
      await fixture.eventLog.untilMany("two", 2, ({ type }) => type === "chain-completed");
      await looked(shop);
      equal("two", begun.length, 2);
      fixture.clock.leap(3_600_000);
      await leapToEnd(fixture, shop, chains);
      equal("all", begun.length, 3);
    }),

  "C4: a place that `complete` frees is taken again at once": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      await shop.work(async ({ complete }) => await complete(async () => "done"), { concurrency: 3 });
      await endAll(shop, await shop.start("label", "a", 20));
    }),

  "C4: places that a stopping worker gives back go to the other one": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { handler, gate, begun } = counting();
      // With hints it looks by itself only rarely.
      const options = fixture.notify === undefined ? {} : { pollIntervalMs: 60_000 };
      const worker = await shop.work(handler, options);
      const chains = await shop.start("label", "a", 2);
      await eventually("it runs", () => begun.includes("label a 1"));
      await shop.workElsewhere(handler, options);
      await looked(shop);
      equal("once", begun.filter((job) => job.startsWith("label")).length, 1);
      await worker.stop({ timeoutMs: 0 });
      // Mostly the same job; the next one where it looked in the millisecond before that was due again.
      await eventually("the other one begins one", () => begun.filter((job) => job.startsWith("label")).length === 2);
      gate.open();
      await leapToEnd(fixture, shop, chains);
    }),

  "C6: with hold, a job that is retried keeps its key closed, and later jobs begin after it": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1, whileRetrying: "hold" } }, async (shop) => {
      const begun: string[] = [];
      const chains = await shop.start("label", "a", 3);
      await shop.work(
        async ({ job }) => {
          begun.push(`${job.input.n}.${job.attempt}`);
          if (job.input.n === 1 && job.attempt < 3) throw new Error("not yet");
          return "done";
        },
        { concurrency: 5 },
      );
      await fixture.eventLog.until("it waits", ({ type }) => type === "job-retried");
      await looked(shop);
      equal("the first alone", begun, ["1.1"]);
      await leapToEnd(fixture, shop, chains);
      equal("in the order of their starts", begun, ["1.1", "1.2", "1.3", "2.1", "3.1"]);
    }),

  "without hold, later jobs of a key pass one that waits for a retry": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const begun: string[] = [];
      const chains = await shop.start("label", "a", 3);
      await shop.work(async ({ job }) => {
        begun.push(`${job.input.n}.${job.attempt}`);
        if (job.input.n === 1 && job.attempt === 1) throw new Error("not yet");
        return "done";
      });
      await fixture.eventLog.untilMany("the others", 2, ({ type }) => type === "chain-completed");
      await leapToEnd(fixture, shop, chains);
      equal("passed", begun, ["1.1", "2.1", "3.1", "1.2"]);
    }),

  "C7: jobs under limits are not claimed ahead of the slots where they would take more than half of the places": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { concurrency: 4 } }, async (shop) => {
      let most = 0;
      const sweeps = await shop.start("sweep", "none", 100);
      const labels = await shop.start("label", "a", 30);
      await shop.work(
        async () => {
          const [a] = (await shop.client.listLimits({ limit: "shop", key: "a" })).items;
          most = Math.max(most, a?.running ?? 0);
          return "done";
        },
        { concurrency: 2, prefetch: 100 },
      );
      await endAll(shop, [...sweeps, ...labels]);
      holds("places are held by what runs", most >= 1 && most <= 2, most);
    }),

  "C10: a limit that is changed while it is full counts for what begins later, and a reset takes it back": async (
    fixture,
  ) =>
    await withShop(fixture, { shop: { concurrency: 2 } }, async (shop) => {
      const { client } = shop;
      const { handler, gate, of } = counting();
      await shop.work(handler, { concurrency: 20 });
      const chains = await shop.start("label", "a", 8);
      const more = await shop.start("label", "b", 4);
      await eventually("two of each", () => of("a") === 2 && of("b") === 2);
      await client.changeLimit({ limit: "shop", key: "a", concurrency: 5 });
      await eventually("three more", () => of("a") === 5);
      equal("the others as before", of("b"), 2);
      await client.changeLimit({ limit: "shop", key: "a", concurrency: 1 });
      await client.changeLimit({ limit: "shop", concurrency: 3 });
      await eventually("the others", () => of("b") === 3);
      equal("no one was stopped", of("a"), 5);
      const [a] = (await client.listLimits({ limit: "shop", key: "a" })).items;
      match("a", a, { running: 5, waiting: 3, concurrency: 1, isOverridden: true });
      await client.resetLimit({ limit: "shop", key: "a" });
      await client.resetLimit({ limit: "shop" });
      match("reset", only("a", (await client.listLimits({ limit: "shop", key: "a" })).items), {
        concurrency: 2,
        isOverridden: false,
      });
      gate.open();
      await endAll(shop, [...chains, ...more]);
    }),

  "a pause of a key lets no job of it begin, and ends when it is resumed": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 2 } }, async (shop) => {
      const { handler, gate, begun } = counting();
      gate.open();
      await shop.work(handler);
      await looked(shop);
      await shop.client.pauseLimit({ limit: "shop", key: "a" });
      const chains = await shop.start("label", "a", 2);
      await endAll(shop, await shop.start("label", "b", 2));
      await looked(shop);
      equal("only the other", begun.toSorted(), ["label b 1", "label b 2"]);
      const [a] = (await shop.client.listLimits({ busy: true })).items;
      match("shown", a, { key: "a", isPaused: true, pausedUntil: undefined, running: 0, waiting: 2 });
      await shop.client.resumeLimit({ limit: "shop", key: "a" });
      await endAll(shop, chains);
    }),

  "calls about a limit that no worker has declared are refused with limit-not-found": async (fixture) =>
    await withShop(fixture, {}, async ({ client }) => {
      const missing = { limit: "shop" };
      await rejectsWith("a change", client.changeLimit({ ...missing, concurrency: 1 }), "limit-not-found");
      await rejectsWith("a reset", client.resetLimit(missing), "limit-not-found");
      await rejectsWith("a pause", client.pauseLimit(missing), "limit-not-found");
      await rejectsWith("a resumption", client.resumeLimit({ ...missing, key: "a" }), "limit-not-found");
      equal("nothing is written", await client.listDeclaredLimits(), []);
    }),

  "limits are declared by the first worker that has them, with its version": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 2 }, door: { rate: { count: 5, perMs: 1_000 } } }, async (shop) => {
      equal("not by the client", await shop.client.listDeclaredLimits(), []);
      const chains = await shop.start("label", "a", 2);
      equal("nor by a start", await shop.client.listDeclaredLimits(), []);
      const { handler, gate } = counting();
      gate.open();
      await shop.work(handler, { codeVersion: 3 });
      await endAll(shop, chains);
      const declared = await shop.client.listDeclaredLimits();
      equal(
        "both",
        declared.map(({ limit, codeVersion }) => `${limit} ${codeVersion}`),
        ["door 3", "shop 3"],
      );
      match("numbers", declared[0], { rate: { count: 5, perMs: 1_000, spread: false }, override: undefined });
      match("numbers", declared[1], { concurrency: 2, isPaused: false });
    }),

  "a retry with a new input has the keys of that input, and without one those that the job had": async (fixture) =>
    await withShop(fixture, { shop: { concurrency: 1 } }, async (shop) => {
      const { client } = shop;
      const { handler, gate, begun, of } = counting();
      const holding = await shop.start("label", "a");
      const [moved, kept] = await shop.start("label", "a", 2);
      for (const { id } of [moved, kept].filter((chain) => chain !== undefined)) await client.cancelChain({ id });
      await shop.work(handler, { concurrency: 10 });
      await eventually("it runs", () => of("a") === 1);
      if (moved === undefined || kept === undefined) return;
      await client.retryChain({ id: kept.id });
      await client.retryChain({ id: moved.id, typeName: "label", input: { shop: "b", n: 5 } });
      await eventually("the other key has a place", () => begun.includes("label b 5"));
      await looked(shop);
      equal("its own key is full", begun, ["label a 1", "label b 5"]);
      gate.open();
      await endAll(shop, [...holding, moved, kept]);
    }),
});
