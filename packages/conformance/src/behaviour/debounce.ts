import { equal, holds, match, present } from "../check.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";

const quiet = { key: "doc 1", quietMs: 20_000, maxWaitMs: 60_000 };
const hourly = { key: "doc 1", perMs: 3_600_000 };

export const debounceCases = behaviours("debounce and throttle", {
  "starts within quietMs run once, with the input of the last one, and each of the others reports the chain": async (
    fixture,
  ) => {
    const { client, clock, eventLog } = fixture;
    const first = await client.startChain({ typeName: "work", input: "1", debounce: quiet });
    match("the first", first, { deduplicated: false, status: "active" });
    const second = await client.startChain({ typeName: "work", input: "2", debounce: quiet });
    match("the second", second, { id: first.id, deduplicated: true, input: "2", status: "active" });
    match("event", await eventLog.until("an event", ({ type }) => type === "chain-debounced"), {
      chainId: first.id,
      typeName: "work",
      by: "debounce",
    });
    await fixture.work({ work: ({ job }) => job.input });
    const end = inTime("it ends", client.awaitChain(first));
    await leapUntil(clock, 10_000, end);
    equal("ran with the last input", (await end).output, "2");
    equal("one chain", (await client.listChains({ typeName: "work" })).items.length, 1);
  },

  "the explanation of a chain that waits for further starts says until when, and at the latest": async ({ client }) => {
    const started = await client.startChain({ typeName: "work", input: 1, debounce: quiet });
    const explained = present("explained", await client.explainJob({ id: firstJobIdOf(started) }));
    const due = present("due", explained.dueAt);
    const latest = new Date(started.createdAt.getTime() + quiet.maxWaitMs);
    equal("due after quietMs", due.getTime() - started.createdAt.getTime(), quiet.quietMs);
    equal(
      "the sentence",
      explained.reason,
      `It waits until ${due.toISOString()} for further starts with its key, at the latest until ${latest.toISOString()}.`,
    );
    equal("the key", explained.deduplicationKey, "doc 1");
  },

  "a throttled start returns the chain that was started, and with last the last of them runs when the time has passed":
    async (fixture) => {
      const { client } = fixture;
      const plain = await client.startChain({ typeName: "idle", input: 1, throttle: hourly });
      match("without last", await client.startChain({ typeName: "idle", input: 2, throttle: hourly }), {
        id: plain.id,
        deduplicated: true,
        input: 1,
      });
      const throttle = { ...hourly, last: true };
      const first = await client.startChain({ typeName: "work", input: 1, throttle });
      const second = await client.startChain({ typeName: "work", input: 2, throttle });
      const third = await client.startChain({ typeName: "work", input: 3, throttle });
      equal(
        "begun",
        [first, second, third].map(({ deduplicated }) => deduplicated),
        [false, false, true],
      );
      equal("the same chain", third.id, second.id);
      match("due", await client.getJob({ id: firstJobIdOf(third) }), { status: "scheduled", input: 3 });
      const explained = present("explained", await client.explainJob({ id: firstJobIdOf(third) }));
      holds("the sentence", explained.reason.includes("when the window of its key ends"), explained.reason);
    },

  "a debounced start in a transaction counts from the commit on, and has no effect if that rolls back": async ({
    client,
    eventLog,
  }) => {
    const first = await client.startChain({ typeName: "idle", input: 1, debounce: quiet });
    const undo = client.transaction(async (tx) => {
      await client.startChain({ typeName: "idle", input: 2, debounce: quiet, tx });
      throw new Error("undo");
    });
    await undo.catch(() => undefined);
    match("as it was", await client.getChain({ id: first.id }), { input: 1 });
    const debounced = () => eventLog.count(({ type }) => type === "chain-debounced");
    equal("no event", debounced(), 0);
    await client.transaction(async (tx) => {
      await client.startChain({ typeName: "idle", input: 3, debounce: quiet, tx });
      equal("not before the commit", debounced(), 0);
    });
    match("replaced", await client.getChain({ id: first.id }), { input: 3 });
    equal("one event", debounced(), 1);
  },
});
