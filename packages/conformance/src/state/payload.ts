import type { StateGroup } from "./group.ts";
import { rules } from "./group.ts";
import { equal, only, present } from "../check.ts";
import { completed, continued, deferred, failed, job } from "./build.ts";
import { chains, jobs } from "./listing.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

function nested(depth: number): string {
  return `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
}

/** JSON texts as `JSON.stringify` writes them, and other texts that are valid JSON. */
const corpus: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  "an empty text": '""',
  "an empty object": "{}",
  "an empty list": "[]",
  "a list, which some drivers take for an array of the database": '[1,"two",null,[3]]',
  "a text that is JSON itself": JSON.stringify(JSON.stringify({ a: 'x"y' })),
  "a text that is a number": '"42"',
  "a text that is a date": '"2024-02-29T23:59:60.999999Z"',
  "quotes, backslashes, slashes": JSON.stringify(`'"\\/\`$1 :name ?`),
  "a NUL, escaped": JSON.stringify("a\u0000b"),
  "all control characters, escaped": JSON.stringify(
    String.fromCodePoint(...Array.from({ length: 32 }, (_, code) => code)),
  ),
  "lone surrogates, escaped": JSON.stringify(["\ud800", "\udfff", "\udc00\ud800"]),
  "characters beyond the first plane": JSON.stringify("😀𝕏🏳️‍🌈"),
  "many writings, right to left, combining, noncharacters": JSON.stringify(
    "Ünïçødé עברית العربية 日本語 e\u0301 \uffff\ufffe\ufeff",
  ),
  "line separators": JSON.stringify("\u2028\u2029\r\n\t\u007f\u0085"),
  "a key __proto__": '{"__proto__":{"polluted":true},"constructor":1,"toString":null}',
  "empty and strange keys": JSON.stringify({ "": 1, " ": 2, "\u0000": 3, "a.b": 4, $ref: 5 }),
  "keys in an order of their own": '{"b":1,"a":2,"10":3,"9":4}',
  "the same key twice": '{"a":1,"a":2}',
  "numbers at the edge of a double": "[1.7976931348623157e+308,5e-324,-0,9007199254740993,0.1,1e21,-1e-7]",
  "a number longer than a double": "123456789012345678901234567890.123456789012345678901234567890",
  "white space": ' { "a" : [ 1 , 2 ] }\n',
  "a thousand levels": nested(500),
  "a mebibyte": JSON.stringify("x".repeat(1_048_574)),
  "a mebibyte of three-byte characters": JSON.stringify("語".repeat(349_525)),
};

const throughEverything = async (fixture: StateFixture, text: string) => {
  const start = job("a", { input: text });
  const chain = await fixture.startOne(start);
  equal("the reply to the start", chain.input, text);
  const held = await fixture.claimOne("a");
  equal("claimed input", held.input, text);
  await fixture.settled(deferred(held.fence, { errors: text }));
  const second = await fixture.claimOne("a");
  equal("claimed errors", second.errors, text);
  const next = job("b", { input: text, blockers: [{ start: job("x", { input: text }) }] });
  await fixture.settled(continued(second.fence, next));
  await fixture.settled(completed((await fixture.claimOne("x")).fence, text));
  const last = await fixture.claimOne("b");
  equal("input of a continuation", last.input, text);
  const blocker = only("one blocker", last.blockers);
  equal("a blocker's input and output", [blocker.input, blocker.output], [text, text]);
  await fixture.settled(failed(last.fence, text));
  equal("errors of a failed chain", (await fixture.chain(chain.id)).errors, text);
  accepted(
    "retried",
    await fixture.store.retry([{ chainId: chain.id, input: text, typeName: undefined }], fixture.options()),
  );
  equal("replaced input", (await fixture.job(next.id)).input, text);
  await fixture.settled(completed({ chainId: chain.id, typeName: "b" }, text));
  const record = await fixture.chain(chain.id);
  equal("the chain's input and output", [record.input, record.output], [text, text]);
  const listed = present("listed", (await chains(fixture, { ids: [chain.id] }))[0]);
  equal("as listed", [listed.input, listed.output], [text, text]);
  for (const one of await jobs(fixture)) equal("every job's input", one.input, text);
};

const corpusCases: StateGroup["rules"] = Object.fromEntries(
  Object.entries(corpus).map(([what, text]) => [
    `${what} is returned exactly as it was stored, everywhere`,
    (fixture: StateFixture) => throughEverything(fixture, text),
  ]),
);

export const payloadCorpusCases = rules("payload", corpusCases);

export const payloadCases = rules("payload", {
  "many different payloads in one call stay with their jobs": async (fixture) => {
    const texts = Object.values(corpus).filter((text) => text.length < 10_000);
    await fixture.start(texts.map((input) => job("a", { input })));
    const held = await fixture.claim(["a"]);
    equal(
      "inputs in order",
      held.map(({ input }) => input),
      texts,
    );
    await fixture.store.settle(
      held.map(({ fence }, index) => completed(fence, texts[texts.length - 1 - index])),
      fixture.options(),
    );
    const found = await fixture.store.getChains(
      held.map(({ chainId }) => chainId),
      fixture.options(),
    );
    equal(
      "outputs in order",
      found.map((chain) => chain?.output),
      texts.toReversed(),
    );
  },

  "payloads in a transaction are returned exactly as they were stored": async (fixture) => {
    const texts = Object.values(corpus).filter((text) => text.length < 10_000);
    const started = await fixture.transact((tx) =>
      fixture.start(
        texts.map((input) => job("a", { input })),
        tx,
      ),
    );
    equal(
      "inputs",
      started.map(({ input }) => input),
      texts,
    );
  },
});
