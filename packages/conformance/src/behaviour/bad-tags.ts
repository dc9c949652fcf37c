import { newId } from "../state/build.ts";
import { call, type BadCall } from "./bad-input-call.ts";

const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`tag${index}`, "x"]));
const half = "\ud800";

/** Values that are no tags, for a start and for a list. */
const badTags: Readonly<Record<string, unknown>> = {
  "that are a text": "orderId",
  "that are null": null,
  "that are an array": ["a"],
  "that are a Map": new Map([["a", "b"]]),
  "with a number": { orderId: 42 },
  "with undefined": { orderId: undefined },
  "with an object": { order: { id: "42" } },
  "with an empty value": { orderId: "" },
  "with an empty name": { "": "42" },
  "with NUL in a value": { orderId: "a\u0000" },
  "with NUL in a name": { "a\u0000": "42" },
  "with half a character in a value": { orderId: half },
  "with half a character in a name": { [half]: "42" },
  "with a value of 8 KB": { orderId: "x".repeat(8_192) },
  "with a value beyond its limit in bytes": { orderId: "語".repeat(167) },
  "with a name beyond its limit": { ["n".repeat(101)]: "x" },
  "that are nine": nine,
  "whose getter throws": Object.defineProperty({}, "a", {
    enumerable: true,
    get: () => {
      throw new Error("trap");
    },
  }),
};

/** Tags and keys that are refused. */
export const badTagCalls: readonly BadCall[] = [
  ...Object.entries(badTags).flatMap(([what, tags]): readonly BadCall[] => [
    [
      `a start with tags ${what}`,
      ({ client }) => call(client.startChain, { typeName: "idle", input: 1, tags }),
      "invalid-input",
    ],
    [
      `a blocker with tags ${what}`,
      ({ client }) =>
        call(client.startChain, {
          typeName: "idle",
          input: 1,
          blockers: [{ typeName: "work", input: 1, tags }],
        }),
      "invalid-input",
    ],
    [`a list with tags ${what}`, ({ client }) => call(client.listChains, { tags }), "invalid-input"],
  ]),
  ["a list of jobs by tags", ({ client }) => call(client.listJobs, { tags: { a: "b" } }), "invalid-input"],
  ["a list by an empty key", ({ client }) => call(client.listChains, { deduplicationKey: "" }), "invalid-input"],
  [
    "getChain by a key without a type",
    ({ client }) => call(client.getChain, { deduplicationKey: "k" }),
    "invalid-input",
  ],
  [
    "getChain by a key and an id",
    ({ client }) => call(client.getChain, { id: newId(), typeName: "idle", deduplicationKey: "k" }),
    "invalid-input",
  ],
  ["getChain by nothing", ({ client }) => call(client.getChain, {}), "invalid-input"],
];
