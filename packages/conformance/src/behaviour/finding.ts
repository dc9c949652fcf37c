import type { ChainStatus } from "chainwright";
import { equal, match, present, sameMembers } from "../check.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

export const findingCases = behaviours("finding", {
  "a chain is found by the tags that it was started with, and shows them": async (fixture) => {
    const { client } = fixture;
    const tags = { orderId: "42", tenant: "acme", __proto: "x", ["__proto__"]: "constructor" };
    const chain = await client.startChain({ typeName: "idle", input: 1, tags });
    const [, other] = await client.startChains({
      items: [
        { typeName: "idle", input: 2 },
        { typeName: "work", input: 3, tags: { tenant: "acme" } },
      ],
    });
    const found = async (options: Parameters<typeof client.listChains>[0]) =>
      (await client.listChains(options)).items.map(({ id }) => id);
    equal("one tag", await found({ tags: { tenant: "acme" }, order: "oldest" }), [chain.id, other.id]);
    equal("all tags", await found({ tags }), [chain.id]);
    equal("with a type", await found({ tags: { tenant: "acme" }, typeName: "work" }), [other.id]);
    equal("no tag asked for", (await found({ tags: {} })).length, 3);
    equal("none", await found({ tags: { tenant: "ACME" } }), []);
    const shown = Object.entries((await client.getChain({ id: chain.id }))?.tags ?? {});
    sameMembers(
      "shown",
      shown.map(([name, value]) => `${name}=${value}`),
      ["__proto=x", "__proto__=constructor", "orderId=42", "tenant=acme"],
    );
    const { items } = await client.listChains({ typeName: "idle", order: "newest", limit: 1 });
    equal("empty without tags", [items[0]?.tags, items[0]?.deduplicationKey], [{}, undefined]);
    match("explained", await client.explainChain({ id: other.id }), { tags: { tenant: "acme" } });
  },

  "a chain of a blocker written inline has tags of its own": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      next: ({ continueWith }) =>
        continueWith({
          typeName: "gather",
          input: 1,
          blockers: [{ typeName: "work", input: 1, tags: { part: "one" } }],
        }),
      work: () => 1,
      gather: ({ job }) => job.blockers.length,
    });
    const chain = await client.startChain({ typeName: "next", input: 1, tags: { part: "whole" } });
    const ended = await inTime("it ends", client.awaitChain(chain));
    equal("its tags", ended.tags, { part: "whole" });
    const { items } = await client.listChains({ tags: { part: "one" } });
    equal(
      "the blocker",
      items.map(({ typeName, status }) => [typeName, status]),
      [["work", "completed"]],
    );
  },

  "a chain is found by its deduplication key: its holder, or else the newest": async (fixture) => {
    const { client } = fixture;
    const begin = (input: number) =>
      client.startChain({ typeName: "idle", input, deduplication: { key: "42" }, tags: { run: String(input) } });
    const byKey = async () => await client.getChain({ typeName: "idle", deduplicationKey: "42" });
    equal("none", await byKey(), undefined);
    const first = await begin(1);
    match("the holder", await byKey(), { id: first.id, deduplicationKey: "42", input: 1 });
    await client.completeChain({ id: first.id, typeName: "idle", output: "done" });
    match("the newest", await byKey(), { id: first.id, status: "completed", output: "done" });
    const second = await begin(2);
    const again = await begin(3);
    equal("deduplicated", [again.id, again.deduplicated], [second.id, true]);
    match("the new holder", await byKey(), { id: second.id, input: 2, tags: { run: "2" } });
    const ofOther = await client.startChain({ typeName: "work", input: 1, deduplication: { key: "42" } });
    equal("of another type", await client.getChain({ typeName: "next", deduplicationKey: "42" }), undefined);
    const found = async (options: Parameters<typeof client.listChains>[0]) =>
      (await client.listChains({ ...options, order: "oldest" })).items.map(({ id }) => id);
    equal("all of a type", await found({ typeName: "idle", deduplicationKey: "42" }), [first.id, second.id]);
    equal("of any type", await found({ deduplicationKey: "42" }), [first.id, second.id, ofOther.id]);
    equal("of two types", await found({ typeName: ["work", "next"], deduplicationKey: "42" }), [ofOther.id]);
    equal("not a beginning", await found({ deduplicationKey: "4" }), []);
  },

  "explainJob names the blockers that have failed before those that are active, however many there are": async (
    fixture,
  ) => {
    const { client } = fixture;
    const parts = await client.startChains({
      items: Array.from({ length: 130 }, (_, input) => ({ typeName: "work", input }) as const),
    });
    const chain = await client.startChain({ typeName: "next", input: 1 });
    const gathering = { typeName: "gather", input: 1, blockers: parts, onBlockerFailure: "wait" } as const;
    await client.continueChain({ id: chain.id, typeName: "next", with: gathering });
    const [last = chain, beforeLast = chain] = parts.toReversed();
    await client.cancelChains({ items: [{ id: last.id }, { id: beforeLast.id }] });
    const explained = present("explained", await client.explainChain({ id: chain.id }));
    equal("counts", explained.blockers, { total: 130, completed: 0, failed: 2 });
    const ids = explained.blockedBy.map(({ id }) => id);
    equal("the first", ids.slice(0, 3), [beforeLast.id, last.id, parts[0]?.id]);
    equal("a hundred", ids.length, 100);
    const [job] = (await client.listChainJobs({ id: chain.id, order: "newest", limit: 1 })).items;
    const of = async (blockerStatus: ChainStatus) =>
      (await client.listJobBlockers({ id: job?.id ?? "", blockerStatus, limit: 3 })).items.map(({ id }) => id);
    equal("listed by status", await of("cancelled"), [beforeLast.id, last.id]);
    equal("none of them", await of("completed"), []);
  },

  "getJob and getChain count the blockers of a waiting chain, and explainJob says it": async (fixture) => {
    const { client } = fixture;
    const gate = createGate();
    await fixture.work({
      work: async ({ job }) => {
        if (job.input === "held") await gate.passed;
        return 1;
      },
      gather: () => "all",
    });
    const parts = ["quick", "held", "quick"].map((input) => ({ typeName: "work", input }) as const);
    const started = await client.startChains({ items: parts });
    const chain = await client.startChain({ typeName: "next", input: 1 });
    await client.continueChain({
      id: chain.id,
      typeName: "next",
      with: { typeName: "gather", input: 1, blockers: started },
    });
    for (const part of [started[0], started[2]]) await inTime("a part ends", client.awaitChain({ id: part?.id ?? "" }));
    const blockers = { total: 3, completed: 2, failed: 0 };
    const waiting = present("the chain", await client.getChain({ id: chain.id }));
    equal("the chain", waiting.blockers, blockers);
    const [job] = (await client.listChainJobs({ id: chain.id, order: "newest", limit: 1 })).items;
    const id = job?.id ?? "";
    equal("its job", (await client.getJob({ id }))?.blockers, blockers);
    match("explained", await client.explainJob({ id }), {
      blockers,
      summary: "It waits for 1 of 3 blockers to complete.",
    });
    gate.open();
    const ended = await inTime("it ends", client.awaitChain({ id: chain.id }));
    equal("ended", [ended.output, ended.blockers], ["all", undefined]);
    equal("a job that does not wait", (await client.getJob({ id: firstJobIdOf(chain) }))?.blockers, undefined);
  },
});
