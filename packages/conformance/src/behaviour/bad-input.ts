import { createClient, defineJobTypes } from "chainwright";
import { equal, rejectsWith } from "../check.ts";
import { badCalls } from "./bad-call.ts";
import { call } from "./bad-input-call.ts";
import { badLimitCalls } from "./bad-limit-call.ts";
import { badStarts } from "./bad-start.ts";
import { badTagCalls } from "./bad-tags.ts";
import type { AppFixture } from "./fixture.ts";
import { behaviours, type BehaviourGroup } from "./group.ts";

const refusals: BehaviourGroup["rules"] = Object.fromEntries(
  [...badStarts, ...badTagCalls, ...badCalls, ...badLimitCalls].map(([what, run, code]) => [
    `${what} is refused with ${code}, and nothing is written`,
    async (fixture: AppFixture) => {
      await rejectsWith("refused", run(fixture), code);
      equal("nothing is written", (await fixture.client.listJobs()).items, []);
    },
  ]),
);

export const badInputCases = behaviours("bad input", refusals);

const anything = {
  "~standard": { version: 1, vendor: "conformance", validate: (value: unknown) => ({ value }) },
} as const;

export const declaredCases = behaviours("bad input", {
  "names that no slice declares, and steps that are no entries, are refused where all types are declared": async (
    fixture,
  ) => {
    const declared = defineJobTypes({
      first: { entry: true, input: anything, continueWith: ["last"] },
      last: { input: anything, output: anything },
    });
    const client = createClient({ stateAdapter: fixture.state.adapter, jobTypes: declared, clock: fixture.clock });
    await rejectsWith("unknown", call(client.startChain, { typeName: "undeclared", input: 1 }), "unknown-job-type");
    await rejectsWith("no entry", call(client.startChain, { typeName: "last", input: 1 }), "not-an-entry");
    const blockers = [{ typeName: "last", input: 1 }];
    await rejectsWith("no entry", call(client.startChain, { typeName: "first", input: 1, blockers }), "not-an-entry");
    for (const make of [client.pauseJobTypes, client.resumeJobTypes, client.awaitIdle])
      await rejectsWith("an unknown type", call(make, { typeNames: ["first", "frist"] }), "unknown-job-type");
    equal("nothing is paused", await fixture.client.listPausedTypes(), []);
    await rejectsWith(
      "two slices of one name",
      call(createClient, { stateAdapter: fixture.state.adapter, jobTypes: [declared, declared], clock: fixture.clock }),
      "duplicate-job-type",
    );
    equal("nothing is written", (await fixture.client.listJobs()).items, []);
    await client.close();
  },

  "a deduplication key and a type name at their limits are accepted and distinguished, with any characters": async (
    fixture,
  ) => {
    // No two characters alike, so that no index can compress them.
    const scattered = (from: number, count: number) =>
      String.fromCodePoint(...Array.from({ length: count }, (_, n) => from + ((n * 7_919) % count)));
    const texts = [
      { typeName: scattered(0x4e00, 166), key: scattered(0x4e00, 666) },
      { typeName: scattered(0x100, 250), key: scattered(0x100, 1_000) },
      { typeName: '"\\'.repeat(125), key: "\u0003\u0004".repeat(166) },
    ];
    const anyTypes = defineJobTypes<Record<string, { entry: true; input: number; output: number }>>();
    const client = createClient({ stateAdapter: fixture.state.adapter, jobTypes: anyTypes, clock: fixture.clock });
    for (const { typeName, key } of texts) {
      const begin = () => client.startChain({ typeName, input: 1, deduplication: { key } });
      const first = await begin();
      equal("one chain", (await begin()).id, first.id);
      await client.completeChain({ id: first.id, typeName, output: 1 });
      equal("and a second one after it", (await begin()).deduplicated, false);
    }
    equal("a type each", Object.keys(await client.countJobs()).length, texts.length);
    await client.close();
  },

  "a payload exactly at the limit is accepted": async (fixture) => {
    const input = "x".repeat(1_048_574);
    const chain = await fixture.client.startChain({ typeName: "idle", input });
    equal("its length", String((await fixture.client.getChain({ id: chain.id }))?.input).length, input.length);
  },
});
