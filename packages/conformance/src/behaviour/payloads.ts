import { equal, match } from "../check.ts";
import { behaviours, type BehaviourGroup } from "./group.ts";
import type { AppFixture } from "./fixture.ts";
import { inTime } from "./event-log.ts";

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Values that JSON can carry, and that careless layers change. */
const values: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  "an empty text": "",
  "an empty list": [],
  "an empty object": {},
  "a list of lists": [[], [[]], [1, [2, [3]]]],
  "a text that looks like JSON": '{"a":[1,2]}',
  "a text that looks like a Postgres array": "{1,2,3}",
  "a text that looks like a date": "2024-01-01T00:00:00.000Z",
  "any Unicode": "Ünïçødé 日本語 😀 🏳️‍🌈 e\u0301 \u2028\u2029 \ufeff\uffff",
  "a NUL": "a\u0000b",
  "half characters": ["\ud800", "\udfff"],
  "quotes and backslashes": `'"\\\`$1 :a ? %s \\u0041`,
  "a key __proto__": JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}') as unknown,
  "strange keys": { "": 1, " ": 2, "\u0000": 3, "a.b": 4, "10": 5, "9": 6 },
  "numbers at the edge": [1.797_693_134_862_315_7e308, 5e-324, 9_007_199_254_740_991, -1e-7, 0.1],
  "five hundred levels": deep(500),
  "a mebibyte": "x".repeat(1_048_574),
};

const roundTrips: BehaviourGroup["rules"] = Object.fromEntries(
  Object.entries(values).map(([what, value]) => [
    `${what} comes back as it went in, from a start through every step to its end`,
    async (fixture: AppFixture) => {
      const { client } = fixture;
      const text = JSON.stringify(value);
      const same = (where: string, found: unknown) => equal(where, JSON.stringify(found), text);
      await fixture.work({
        work: ({ job, continueWith }) => {
          same("at its handler", job.input);
          return continueWith({
            typeName: "gather",
            input: job.input,
            blockers: [{ typeName: "next", input: job.input }],
          });
        },
        next: ({ job }) => job.input,
        gather: ({ job }) => {
          same("at the next one", job.input);
          same("a blocker's input", job.blockers[0]?.input);
          same("a blocker's output", job.blockers[0]?.output);
          return job.input;
        },
      });
      const chain = await client.startChain({ typeName: "work", input: value });
      same("returned by the start", chain.input);
      same("at its end", (await inTime("it ends", client.awaitChain(chain))).output);
      const stored = await client.getChain({ id: chain.id });
      same("its input as stored", stored?.input);
      same("its output as stored", stored?.output);
      const { items } = await client.listChainJobs({ id: chain.id });
      for (const job of items) same("every step's input", job.input);
      equal("no prototype was touched", "polluted" in {}, false);
    },
  ]),
);

export const payloadsRoundTripCases = behaviours("a payload", roundTrips);

export const payloadsCases = behaviours("a payload", {
  "a property that is undefined is left out": async (fixture) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "idle", input: { a: undefined, b: 1 } });
    equal("left out", JSON.stringify((await client.getChain({ id: chain.id }))?.input), '{"b":1}');
  },

  "is read when the call is made, so later changes by the caller have no effect": async (fixture) => {
    const { client } = fixture;
    const input = { a: 1 };
    const starting = client.startChain({ typeName: "idle", input });
    const chain = await starting;
    input.a = 2;
    match("as it was", await client.getChain({ id: chain.id }), { input: { a: 1 } });
    const [one, two] = [await client.getChain({ id: chain.id }), await client.getChain({ id: chain.id })];
    equal("each reader has its own copy", one?.input !== two?.input, true);
  },
});
