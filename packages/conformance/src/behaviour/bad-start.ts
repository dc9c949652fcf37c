import { newId } from "../state/build.ts";
import { call, type BadCall } from "./bad-input-call.ts";
import type { AppFixture } from "./fixture.ts";

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

class Cart extends Array<number> {
  get total(): number {
    return this.reduce((sum, each) => sum + each, 0);
  }
}

class Basket {
  readonly lines = [1, 2];

  get total(): number {
    return this.lines.length;
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
  "an object that contains itself": circular,
  "an object with a toJSON": new Point(),
  // oxlint-disable-next-line no-sparse-arrays -- this is the input under test
  "a list with holes": [1, , 3],
  "a list with a property": Object.assign([1], { total: 1 }),
  "a list with a symbol": Object.assign([1], { [Symbol("total")]: 1 }),
  "an object with a symbol": { [Symbol("a")]: 1 },
  "an object with a property that is not enumerable": Object.defineProperty({ a: 1 }, "b", { value: 2 }),
  "an instance of a class": new Sealed(),
  "an instance of a class with a getter": new Basket(),
  "an instance of a subclass of Array": { lines: Cart.of(1, 2) },
  "a match of a regular expression": /(?<x>b)/u.exec("abc"),
  "an object that inherits": Object.create({ a: 1 }),
  "raw JSON": rawNumber("1e1000"),
  "an object with a Date deep inside": { a: [{ b: new Date(0) }] },
  "an object whose getter throws": Object.defineProperty({}, "a", {
    enumerable: true,
    get: () => {
      throw new Error("trap");
    },
  }),
};

/** A number that JSON can write and no double can hold; where `JSON.rawJSON` is missing, the nearest double. */
function rawNumber(text: string): unknown {
  const json: JSON & { rawJSON?(text: string): unknown } = JSON;
  return json.rawJSON === undefined ? Number(text) : json.rawJSON(text);
}

const start = (options: object) => (fixture: AppFixture) =>
  call(fixture.client.startChain, { typeName: "idle", input: 1, ...options });

const quiet = { key: "k", quietMs: 10, maxWaitMs: 100 };
const hourly = { key: "k", perMs: 10 };
const last = { ...hourly, last: true };

/** Starts with `debounce` and `throttle` that are refused. */
const badKeyedStarts: readonly BadCall[] = [
  ["deduplication and debounce", start({ deduplication: { key: "k" }, debounce: quiet }), "invalid-input"],
  ["deduplication and throttle", start({ deduplication: { key: "k" }, throttle: hourly }), "invalid-input"],
  ["debounce and throttle", start({ debounce: quiet, throttle: last }), "invalid-input"],
  ["a debounce without a key", start({ debounce: { ...quiet, key: undefined } }), "invalid-input"],
  ["an empty debounce key", start({ debounce: { ...quiet, key: "" } }), "invalid-input"],
  ["a debounce key beyond its limit", start({ debounce: { ...quiet, key: "k".repeat(2_001) } }), "invalid-input"],
  ["a debounce without quietMs", start({ debounce: { key: "k", maxWaitMs: 10 } }), "invalid-input"],
  ["a quietMs of 0", start({ debounce: { ...quiet, quietMs: 0 } }), "invalid-input"],
  ["a negative quietMs", start({ debounce: { ...quiet, quietMs: -1 } }), "invalid-input"],
  ["a debounce without maxWaitMs", start({ debounce: { key: "k", quietMs: 10 } }), "invalid-input"],
  ["a maxWaitMs below quietMs", start({ debounce: { ...quiet, maxWaitMs: 9 } }), "invalid-input"],
  ["a debounce with a window", start({ debounce: { ...quiet, windowMs: 9 } }), "invalid-input"],
  ["a debounce with a schedule", start({ debounce: quiet, schedule: { afterMs: 5 } }), "invalid-input"],
  ["a debounce with blockers", start({ debounce: quiet, blockers: [] }), "invalid-input"],
  ["a throttle without a key", start({ throttle: { perMs: 10 } }), "invalid-input"],
  ["a perMs of 0", start({ throttle: { ...hourly, perMs: 0 } }), "invalid-input"],
  ["a throttle without perMs", start({ throttle: { key: "k" } }), "invalid-input"],
  ["a last that is a text", start({ throttle: { ...hourly, last: "yes" } }), "invalid-input"],
  ["a throttle with last and a schedule", start({ throttle: last, schedule: { afterMs: 5 } }), "invalid-input"],
  ["a throttle with last and blockers", start({ throttle: last, blockers: [] }), "invalid-input"],
  [
    "an inline blocker with a debounce",
    start({ typeName: "gather", blockers: [{ typeName: "work", input: 1, debounce: quiet }] }),
    "invalid-input",
  ],
];

/** Starts that are refused. */
export const badStarts: readonly BadCall[] = [
  ...Object.entries(unserializable).map(([what, input]): BadCall => [
    `an input that is ${what}`,
    start({ input }),
    "payload-not-serializable",
  ]),
  ["an input above the limit", start({ input: "x".repeat(1_048_575) }), "payload-too-large"],
  ["an input above the limit in bytes", start({ input: "語".repeat(400_000) }), "payload-too-large"],
  ["no options", (fixture) => call(fixture.client.startChain), "invalid-input"],
  ["a text as options", (fixture) => call(fixture.client.startChain, "work"), "invalid-input"],
  ["an option that is misspelt", start({ prioritiy: 1 }), "invalid-input"],
  ["no type name", start({ typeName: undefined }), "invalid-input"],
  ["an empty type name", start({ typeName: "" }), "invalid-input"],
  ["a type name with NUL", start({ typeName: "a\u0000" }), "invalid-input"],
  ["a type name with a control character", start({ typeName: "a\u0001#2" }), "invalid-input"],
  ["an empty pool", start({ pool: "" }), "invalid-input"],
  ["a pool beyond its limit", start({ pool: "p".repeat(101) }), "invalid-input"],
  ["a pool with a control character", start({ pool: "a\tb" }), "invalid-input"],
  ["a pool with half a character", start({ pool: "\ud800" }), "invalid-input"],
  ["a pool that is a number", start({ pool: 1 }), "invalid-input"],
  ["an id that is not a UUID", start({ id: "1" }), "invalid-input"],
  ["an id that is a number", start({ id: 1 }), "invalid-input"],
  ["an id with another digit at its end", start({ id: `${id}0` }), "invalid-input"],
  ["a schedule that is a Date", start({ schedule: new Date() }), "invalid-input"],
  ["a schedule with both at and afterMs", start({ schedule: { at: new Date(), afterMs: 1 } }), "invalid-input"],
  ["an empty schedule", start({ schedule: {} }), "invalid-input"],
  ["an invalid date", start({ schedule: { at: new Date(Number.NaN) } }), "invalid-input"],
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
  [
    "a deduplication key of 100,000 characters",
    start({ deduplication: { key: "k".repeat(100_000) } }),
    "invalid-input",
  ],
  ...badKeyedStarts,
  ["an unknown scope", start({ deduplication: { key: "k", scope: "all" } }), "invalid-input"],
  ["a window of 0 ms", start({ deduplication: { key: "k", windowMs: 0 } }), "invalid-input"],
  ["a negative window", start({ deduplication: { key: "k", windowMs: -1 } }), "invalid-input"],
  ["an object as blockers", start({ blockers: { id } }), "invalid-input"],
  ["a blocker that is undefined", start({ blockers: [undefined] }), "invalid-input"],
  ["a blocker whose id is not a UUID", start({ blockers: [{ typeName: "work", id: "x" }] }), "invalid-input"],
  ["a blocker that does not exist", start({ blockers: [{ typeName: "work", id }] }), "chain-not-found"],
  [
    "an inline blocker with a bad input",
    start({ blockers: [{ typeName: "work", input: 1n }] }),
    "payload-not-serializable",
  ],
  ["an unknown onBlockerFailure", start({ onBlockerFailure: "ignore" }), "invalid-input"],
  ["a transaction that is null", start({ tx: null }), "invalid-input"],
  ["a transaction that is a text", start({ tx: "tx" }), "invalid-input"],
  ["an object as items", (fixture) => call(fixture.client.startChains, { items: {} }), "invalid-input"],
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
