import { isChainwrightError } from "chainwright";
import { equal, holds, match, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { behaviours } from "./group.ts";
import type { AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";

const fates = ["written", "not-written"] as const;

/** Each rule for a start that was carried out, and for one that was not. The caller does not know which it was. */
function eitherWay(
  rules: Readonly<Record<string, (fixture: AppFixture, fate: (typeof fates)[number]) => Promise<void>>>,
) {
  return Object.fromEntries(
    Object.entries(rules).flatMap(([rule, run]) =>
      fates.map((fate) => [`${rule} (${fate} the first time)`, (fixture: AppFixture) => run(fixture, fate)] as const),
    ),
  );
}

const idle = { typeName: "idle", input: 1 } as const;

async function chainsOf(fixture: AppFixture, typeName: "work" | "gather" | "idle"): Promise<readonly string[]> {
  return (await fixture.client.listChains({ typeName, limit: 100 })).items.map(({ id }) => id);
}

export const unknownStartCases = behaviours(
  "a start whose outcome is unknown",
  eitherWay({
    "is repeated, and the chain runs and is reported once": async (fixture, fate) => {
      const { client, state, eventLog } = fixture;
      await fixture.work({ work: ({ job }) => job.input });
      state.loseStarts([fate]);
      const chain = await client.startChain({ typeName: "work", input: "once" });
      match("as any other", chain, { deduplicated: false });
      equal("it runs", (await inTime("it ends", client.awaitChain(chain))).output, "once");
      equal("one chain", await chainsOf(fixture, "work"), [chain.id]);
      const started = eventLog.count((event) => event.type === "chain-started" && event.chainId === chain.id);
      equal("reported once", started, 1);
    },

    "with a key starts one chain, which holds the key": async (fixture, fate) => {
      const { client, state } = fixture;
      state.loseStarts([fate]);
      const chain = await client.startChain({ ...idle, deduplication: { key: "k" } });
      match("it has begun", chain, { deduplicated: false });
      match("the next one finds it", await client.startChain({ ...idle, deduplication: { key: "k" } }), {
        id: chain.id,
        deduplicated: true,
      });
      equal("one chain", await chainsOf(fixture, "idle"), [chain.id]);
    },

    "with a debounce begins one chain, or goes into the one that waits": async (fixture, fate) => {
      const { client, state } = fixture;
      const debounce = { key: "k", quietMs: 60_000, maxWaitMs: 60_000 };
      state.loseStarts([fate]);
      const chain = await client.startChain({ ...idle, debounce });
      match("it has begun", chain, { deduplicated: false });
      state.loseStarts([fate]);
      match("into it", await client.startChain({ ...idle, input: 2, debounce }), { id: chain.id, input: 2 });
      match("the last input", await client.getChain({ id: chain.id }), { input: 2 });
      equal("one chain", await chainsOf(fixture, "idle"), [chain.id]);
    },

    "with a key that another chain holds returns that chain": async (fixture, fate) => {
      const { client, state } = fixture;
      const holder = await client.startChain({ ...idle, deduplication: { key: "k" } });
      state.loseStarts([fate]);
      match("found", await client.startChain({ ...idle, deduplication: { key: "k" } }), {
        id: holder.id,
        deduplicated: true,
      });
      equal("one chain", await chainsOf(fixture, "idle"), [holder.id]);
    },

    "with inline blockers starts each of them once, and all run": async (fixture, fate) => {
      const { client, state } = fixture;
      await fixture.work({ work: ({ job }) => job.input, gather: () => "joined" });
      state.loseStarts([fate]);
      const blockers = [
        { typeName: "work", input: "a" },
        { typeName: "work", input: "b" },
      ] as const;
      const chain = await client.startChain({ typeName: "gather", input: 1, blockers });
      equal("it runs", (await inTime("it ends", client.awaitChain(chain))).output, "joined");
      equal("one chain", (await chainsOf(fixture, "gather")).length, 1);
      equal("its two blockers", (await chainsOf(fixture, "work")).length, 2);
    },

    "of several chains, one of which finds its key taken, starts each of the others once": async (fixture, fate) => {
      const { client, state } = fixture;
      const holder = await client.startChain({ ...idle, deduplication: { key: "k" } });
      state.loseStarts([fate]);
      const items = [idle, { ...idle, deduplication: { key: "k" } }, { ...idle, deduplication: { key: "l" } }];
      const chains = await client.startChains({ items });
      equal(
        "as asked for",
        chains.map(({ deduplicated }) => deduplicated),
        [false, true, false],
      );
      equal("the holder", chains[1]?.id, holder.id);
      equal("three chains", (await chainsOf(fixture, "idle")).length, 3);
    },

    "that many callers share starts one chain for each of them": async (fixture, fate) => {
      const { client, state } = fixture;
      state.loseStarts([fate]);
      const inputs = Array.from({ length: 20 }, (_, index) => index);
      const chains = await Promise.all(inputs.map((input) => client.startChain({ typeName: "idle", input })));
      const read = await Promise.all(chains.map(({ id }) => client.getChain({ id })));
      equal(
        "each its own",
        read.map((chain) => chain?.input),
        inputs,
      );
      equal("no other", (await chainsOf(fixture, "idle")).length, inputs.length);
    },

    "rejects with the ids when the second reply is lost as well": async (fixture, fate) => {
      const { client, state } = fixture;
      state.loseStarts([fate, "not-written"]);
      const error = await rejectsWith("the start rejects", client.startChain(idle), "store-unavailable");
      const details = isChainwrightError(error) ? error.details : {};
      equal("that it is unknown", details["outcome"], "unknown");
      const ids = details["ids"];
      holds("with one id", Array.isArray(ids) && ids.length === 1, ids);
      const there = await client.getChain({ id: String(Array.isArray(ids) ? ids[0] : "") });
      equal("by which it is found", there?.status, fate === "written" ? "active" : undefined);
      equal("no other", (await chainsOf(fixture, "idle")).length, fate === "written" ? 1 : 0);
    },

    "with an id from the caller is not repeated": async (fixture, fate) => {
      const { client, state } = fixture;
      const id = newId();
      state.loseStarts([fate]);
      const error = await rejectsWith("the start rejects", client.startChain({ ...idle, id }), "store-unavailable");
      match("with the id", isChainwrightError(error) ? error.details : {}, { outcome: "unknown", ids: [id] });
      equal("as it was left", (await client.getChain({ id }))?.status, fate === "written" ? "active" : undefined);
    },
  }),
);
