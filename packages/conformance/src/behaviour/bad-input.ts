import { createClient, createProcessors, createWorker, defineJobTypes, type ChainwrightErrorCode } from "chainwright";
import { equal, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { behaviours } from "./group.ts";
import type { BehaviourGroup } from "./group.ts";
import { processorsOf } from "./handlers.ts";
import { jobTypes } from "./job-types.ts";
import type { AppFixture } from "./fixture.ts";

/** Calls as a program in JavaScript does, with whatever it likes. */
async function call(target: unknown, ...args: readonly unknown[]): Promise<unknown> {
  if (typeof target !== "function") throw new TypeError("not a function");
  return (await Reflect.apply(target, undefined, args)) as unknown;
}

const id = newId();
const circular: { self?: unknown } = {};
circular.self = circular;
class Point {
  readonly x = 1;
  toJSON(): string {
    return "point";
  }
}

class Sealed {
  readonly shown = 1;
  readonly #hidden = 2;

  sum(): number {
    return this.shown + this.#hidden;
  }
}

/** Inputs that JSON cannot carry as they are. */
const unserializable: Readonly<Record<string, unknown>> = {
  undefined,
  "a function": () => {},
  "a symbol": Symbol("s"),
  "a bigint": 1n,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "a Date": new Date(0),
  "a Map": new Map(),
  "a Set": new Set(),
  "a RegExp": /x/,
  "an Error": new Error("x"),
  "a typed array": new Uint8Array(2),
  "a promise": Promise.resolve(1),
  "itself within itself": circular,
  "what has a toJSON": new Point(),
  // oxlint-disable-next-line no-sparse-arrays -- what is asked about
  "a list with holes": [1, , 3],
  "a list with a property": Object.assign([1], { total: 1 }),
  "a list with a symbol": Object.assign([1], { [Symbol("total")]: 1 }),
  "an object with a symbol": { [Symbol("a")]: 1 },
  "an object with a property that is not enumerable": Object.defineProperty({ a: 1 }, "b", { value: 2 }),
  "an instance of a class": new Sealed(),
  "what inherits": Object.create({ a: 1 }),
  "raw JSON": rawNumber("1e1000"),
  "a Date deep down": { a: [{ b: new Date(0) }] },
  "what throws when it is read": Object.defineProperty({}, "a", {
    enumerable: true,
    get: () => {
      throw new Error("trap");
    },
  }),
};

/** A number that JSON can write and no double can hold; where `JSON.rawJSON` is missing, what it would stand for. */
function rawNumber(text: string): unknown {
  const json: JSON & { rawJSON?(text: string): unknown } = JSON;
  return json.rawJSON === undefined ? Number(text) : json.rawJSON(text);
}

type Attempt = readonly [what: string, run: (fixture: AppFixture) => Promise<unknown>, code: ChainwrightErrorCode];

const start = (options: object) => (fixture: AppFixture) =>
  call(fixture.client.startChain, { typeName: "idle", input: 1, ...options });

const starts: readonly Attempt[] = [
  ...Object.entries(unserializable).map(([what, input]): Attempt => [
    `an input that is ${what}`,
    start({ input }),
    "payload-not-serializable",
  ]),
  ["an input above the limit", start({ input: "x".repeat(1_048_575) }), "payload-too-large"],
  ["an input above the limit in bytes", start({ input: "語".repeat(400_000) }), "payload-too-large"],
  ["no options", (fixture) => call(fixture.client.startChain), "invalid-input"],
  ["options that are no object", (fixture) => call(fixture.client.startChain, "work"), "invalid-input"],
  ["an option that is misspelt", start({ prioritiy: 1 }), "invalid-input"],
  ["no type name", start({ typeName: undefined }), "invalid-input"],
  ["an empty type name", start({ typeName: "" }), "invalid-input"],
  ["a type name with NUL", start({ typeName: "a\u0000" }), "invalid-input"],
  ["an id that is no UUID", start({ id: "1" }), "invalid-input"],
  ["an id that is a number", start({ id: 1 }), "invalid-input"],
  ["an id with more behind it", start({ id: `${id}0` }), "invalid-input"],
  ["a schedule that is a Date", start({ schedule: new Date() }), "invalid-input"],
  ["a schedule of both kinds", start({ schedule: { at: new Date(), afterMs: 1 } }), "invalid-input"],
  ["a schedule of no kind", start({ schedule: {} }), "invalid-input"],
  ["a date that is none", start({ schedule: { at: new Date(Number.NaN) } }), "invalid-input"],
  ["a date that is a text", start({ schedule: { at: "tomorrow" } }), "invalid-input"],
  ["a negative delay", start({ schedule: { afterMs: -1 } }), "invalid-input"],
  ["a delay that is NaN", start({ schedule: { afterMs: Number.NaN } }), "invalid-input"],
  ["an infinite delay", start({ schedule: { afterMs: Number.POSITIVE_INFINITY } }), "invalid-input"],
  ["a delay beyond the end of time", start({ schedule: { afterMs: 1e300 } }), "invalid-input"],
  ["a delay that is a text", start({ schedule: { afterMs: "5" } }), "invalid-input"],
  ["a priority with a fraction", start({ priority: 1.5 }), "invalid-input"],
  ["a priority above 16 bits", start({ priority: 32_768 }), "invalid-input"],
  ["a priority below 16 bits", start({ priority: -32_769 }), "invalid-input"],
  ["a priority that is a text", start({ priority: "1" }), "invalid-input"],
  ["a deduplication without a key", start({ deduplication: {} }), "invalid-input"],
  ["an empty deduplication key", start({ deduplication: { key: "" } }), "invalid-input"],
  ["a deduplication key with NUL", start({ deduplication: { key: "a\u0000" } }), "invalid-input"],
  ["a type name beyond its limit", start({ typeName: "t".repeat(501) }), "invalid-input"],
  ["a type name beyond its limit in bytes", start({ typeName: "語".repeat(167) }), "invalid-input"],
  ["a deduplication key beyond its limit", start({ deduplication: { key: "k".repeat(2_001) } }), "invalid-input"],
  [
    "a deduplication key beyond its limit in bytes",
    start({ deduplication: { key: "語".repeat(667) } }),
    "invalid-input",
  ],
  [
    "a deduplication key beyond its limit in escapes",
    start({ deduplication: { key: "\u0001".repeat(334) } }),
    "invalid-input",
  ],
  ["a deduplication key with half a character", start({ deduplication: { key: "\ud800" } }), "invalid-input"],
  ["an endless deduplication key", start({ deduplication: { key: "k".repeat(100_000) } }), "invalid-input"],
  ["a scope that is none", start({ deduplication: { key: "k", scope: "all" } }), "invalid-input"],
  ["a window of nothing", start({ deduplication: { key: "k", windowMs: 0 } }), "invalid-input"],
  ["a negative window", start({ deduplication: { key: "k", windowMs: -1 } }), "invalid-input"],
  ["blockers that are no list", start({ blockers: { id } }), "invalid-input"],
  ["a blocker that is nothing", start({ blockers: [undefined] }), "invalid-input"],
  ["a blocker whose id is none", start({ blockers: [{ typeName: "work", id: "x" }] }), "invalid-input"],
  ["a blocker that is not there", start({ blockers: [{ typeName: "work", id }] }), "chain-not-found"],
  [
    "an inline blocker with a bad input",
    start({ blockers: [{ typeName: "work", input: 1n }] }),
    "payload-not-serializable",
  ],
  ["what to do that is nothing", start({ onBlockerFailure: "ignore" }), "invalid-input"],
  ["a transaction that is null", start({ tx: null }), "invalid-input"],
  ["a transaction that is a text", start({ tx: "tx" }), "invalid-input"],
  ["items that are no list", (fixture) => call(fixture.client.startChains, { items: {} }), "invalid-input"],
  ["no items", (fixture) => call(fixture.client.startChains, {}), "invalid-input"],
  [
    "a bad item among good ones",
    (fixture) =>
      call(fixture.client.startChains, {
        items: [
          { typeName: "idle", input: 1 },
          { typeName: "idle", input: 1n },
        ],
      }),
    "payload-not-serializable",
  ],
];

const others: readonly Attempt[] = [
  ["completeChain without an id", (s) => call(s.client.completeChain, { typeName: "a", output: 1 }), "invalid-input"],
  [
    "completeChain without an output",
    (s) => call(s.client.completeChain, { id, typeName: "a" }),
    "payload-not-serializable",
  ],
  ["continueChain with nothing", (s) => call(s.client.continueChain, { id, typeName: "a" }), "invalid-input"],
  [
    "cancelChain with an endless reason",
    (s) => call(s.client.cancelChain, { id, reason: "x".repeat(100_000) }),
    "invalid-input",
  ],
  ["cancelChain with NUL in its reason", (s) => call(s.client.cancelChain, { id, reason: "\u0000" }), "invalid-input"],
  ["cancelChain of what is no id", (s) => call(s.client.cancelChain, { id: "x" }), "invalid-input"],
  ["cancelChains of no list", (s) => call(s.client.cancelChains, { items: "all" }), "invalid-input"],
  ["triggerJob of what is no id", (s) => call(s.client.triggerJob, { id: null }), "invalid-input"],
  ["retryChain of what is no id", (s) => call(s.client.retryChain, { id: {} }), "invalid-input"],
  ["deleteChain with an option it has not", (s) => call(s.client.deleteChain, { id, force: true }), "invalid-input"],
  ["getChain of what is no id", (s) => call(s.client.getChain, { id: "1; drop table job" }), "invalid-input"],
  ["listChains with a limit of 0", (s) => call(s.client.listChains, { limit: 0 }), "invalid-input"],
  ["listChains with a huge limit", (s) => call(s.client.listChains, { limit: 1_000_000 }), "invalid-input"],
  ["listChains with a cursor that is none", (s) => call(s.client.listChains, { cursor: "next" }), "invalid-input"],
  ["listChains by a status that is none", (s) => call(s.client.listChains, { status: "done" }), "invalid-input"],
  ["listChains by ids that are none", (s) => call(s.client.listChains, { ids: ["x"] }), "invalid-input"],
  [
    "listChains from a date that is none",
    (s) => call(s.client.listChains, { createdFrom: new Date(Number.NaN) }),
    "invalid-input",
  ],
  ["listChains in an order that is none", (s) => call(s.client.listChains, { order: "random" }), "invalid-input"],
  ["listJobs with an option it has not", (s) => call(s.client.listJobs, { where: 1 }), "invalid-input"],
  [
    "getJobBlockers with a cursor that is none",
    (s) => call(s.client.getJobBlockers, { id, cursor: "x" }),
    "invalid-input",
  ],
  ["awaitChain with a negative timeout", (s) => call(s.client.awaitChain, { id }, { timeoutMs: -1 }), "invalid-input"],
  [
    "awaitChain with a timeout that is NaN",
    (s) => call(s.client.awaitChain, { id }, { timeoutMs: Number.NaN }),
    "invalid-input",
  ],
  [
    "createClient with an option it has not",
    (s) => call(createClient, { stateAdapter: s.state.adapter, jobTypes, retries: 1 }),
    "invalid-input",
  ],
  ["createClient without a state adapter", () => call(createClient, { jobTypes }), "invalid-input"],
  ["createWorker without slots", (s) => worker(s, { concurrency: 0 }), "invalid-input"],
  ["createWorker with half a slot", (s) => worker(s, { concurrency: 1.5 }), "invalid-input"],
  ["createWorker with a lease too short to renew", (s) => worker(s, { leaseMs: 1 }), "invalid-input"],
  ["createWorker with an option it has not", (s) => worker(s, { concurency: 5 }), "invalid-input"],
  [
    "createWorker with processors of another kind",
    (s) => worker(s, { processors: [{ work: () => 1 }] }),
    "invalid-input",
  ],
  ["createProcessors for a type name with a NUL", (s) => processors(s, { "a\u0000b": handler }), "invalid-input"],
  ["createProcessors for half a character", (s) => processors(s, { "\ud800": handler }), "invalid-input"],
  ["createProcessors for a type without a name", (s) => processors(s, { "": handler }), "invalid-input"],
  ["createProcessors for a name too long", (s) => processors(s, { ["n".repeat(5_000)]: handler }), "invalid-input"],
  ["createProcessors with a handler that is none", (s) => processors(s, { work: 1 }), "invalid-input"],
  [
    "createProcessors with no attempts",
    (s) => processors(s, { work: { handler, retry: { maxAttempts: 0 } } }),
    "invalid-input",
  ],
  [
    "createProcessors with a negative backoff",
    (s) => processors(s, { work: { handler, retry: { backoff: { initialMs: -1 } } } }),
    "invalid-input",
  ],
  [
    "createProcessors with an option it has not",
    (s) => processors(s, { work: { handler, timeout: 5 } }),
    "invalid-input",
  ],
  [
    "one job type handled twice",
    (s) =>
      worker(s, { processors: [processorsOf(s.client, { work: handler }), processorsOf(s.client, { work: handler })] }),
    "duplicate-job-type",
  ],
];

function handler(): null {
  return null;
}

function worker(fixture: AppFixture, options: object): Promise<unknown> {
  return call(createWorker, {
    client: fixture.client,
    processors: [processorsOf(fixture.client, { work: handler })],
    ...options,
  });
}

function processors(fixture: AppFixture, given: object): Promise<unknown> {
  return call(createProcessors, { client: fixture.client, jobTypes, processors: given });
}

const refusals: BehaviourGroup["rules"] = Object.fromEntries(
  [...starts, ...others].map(([what, run, code]) => [
    `${what}: refused with ${code}, nothing written`,
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
    await rejectsWith("unknown", call(client.startChain, { typeName: "nobody", input: 1 }), "unknown-job-type");
    await rejectsWith("no entry", call(client.startChain, { typeName: "last", input: 1 }), "not-an-entry");
    const blockers = [{ typeName: "last", input: 1 }];
    await rejectsWith("no entry", call(client.startChain, { typeName: "first", input: 1, blockers }), "not-an-entry");
    await rejectsWith(
      "two slices of one name",
      call(createClient, { stateAdapter: fixture.state.adapter, jobTypes: [declared, declared], clock: fixture.clock }),
      "duplicate-job-type",
    );
    equal("nothing is written", (await fixture.client.listJobs()).items, []);
    await client.close();
  },

  "a deduplication key and a type name at their limits, of whatever characters, are what they say": async (fixture) => {
    // No two characters alike, so that no index can compress them.
    const scattered = (from: number, count: number) =>
      String.fromCodePoint(...Array.from({ length: count }, (_, n) => from + ((n * 7_919) % count)));
    const texts = [
      { typeName: scattered(0x4e00, 166), key: scattered(0x4e00, 666) },
      { typeName: scattered(0x100, 250), key: scattered(0x100, 1_000) },
      { typeName: "\u0001\u0002".repeat(41), key: "\u0003\u0004".repeat(166) },
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

  "exactly at the limit of a payload is not above it": async (fixture) => {
    const input = "x".repeat(1_048_574);
    const chain = await fixture.client.startChain({ typeName: "idle", input });
    equal("its length", String((await fixture.client.getChain({ id: chain.id }))?.input).length, input.length);
  },
});
