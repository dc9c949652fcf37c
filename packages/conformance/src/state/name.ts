import { equal, match } from "../check.ts";
import { blockedBy, completed, job } from "./build.ts";
import { rules } from "./group.ts";
import { chains, counts } from "./listing.ts";
import { accepted } from "./fixture.ts";

/** Well-formed texts. Core lets no control characters through, but stores written by earlier versions may have such names. */
const names = [
  "a",
  "order.place",
  "Ünïçødé 日本語 😀",
  `'; drop table job; --`,
  '"quoted" \\ `x` $1 :a ? %s {}',
  "with,comma;and\ttab\nand line",
  "__proto__",
  "constructor",
  "A",
  " a",
  "a ",
  "x".repeat(200),
];

export const nameCases = rules("name", {
  "a type name can be any text, and different texts are different types": async (fixture) => {
    const started = await fixture.start(names.map((name) => job(name)));
    equal("counts", await counts(fixture), Object.fromEntries(names.map((name) => [`${name} ready`, 1])));
    for (const [index, name] of names.entries()) {
      match("claimed", await fixture.claimOne(name), { typeName: name, id: started[index]?.id });
      equal("listed", (await chains(fixture, { typeNames: [name] })).length, 1);
    }
  },

  "a claim can name many types, including unknown ones": async (fixture) => {
    const many = Array.from({ length: 200 }, (_, index) => `type ${index}`);
    await fixture.start([job("type 150"), job("type 3")]);
    equal(
      "in the order asked for",
      (await fixture.claim(many)).map(({ typeName }) => typeName),
      ["type 3", "type 150"],
    );
  },

  "deduplication keys, reasons, contexts and worker ids can be any text": async (fixture) => {
    for (const name of names) {
      const chain = await fixture.startOne(
        job("a", { context: name, deduplication: { key: name, scope: "active", windowMs: undefined } }),
      );
      equal("a key of its own", chain.deduplicated, false);
      const held = await fixture.claimOne("a", { workerId: name });
      equal("context", held.context, name);
      equal("worker", (await fixture.job(chain.id)).leasedBy, name);
      accepted("cancelled", await fixture.store.cancel([{ chainId: chain.id, reason: name }], fixture.options()));
      equal("reason", (await fixture.chain(chain.id)).reason, name);
    }
  },

  "a long key is compared up to its last character": async (fixture) => {
    const key = "k".repeat(2_000);
    const keyed = (text: string) => job("a", { deduplication: { key: text, scope: "active", windowMs: undefined } });
    const first = await fixture.startOne(keyed(`${key}1`));
    equal("another", (await fixture.startOne(keyed(`${key}2`))).deduplicated, false);
    match("the same", await fixture.startOne(keyed(`${key}1`)), { id: first.id, deduplicated: true });
  },

  "ids can be lower-case UUIDs of any version": async (fixture) => {
    const ids = [
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "018c2e65-4b3d-7c1e-9f00-0123456789ab",
    ];
    for (const id of ids) {
      const chain = await fixture.startOne(job("x", { id }));
      equal("the reply", chain.id, id);
      await fixture.startOne(job("a", { blockers: [blockedBy(id, "x")] }));
      const held = await fixture.claimOne("x");
      equal("claimed", held.id, id);
      await fixture.settled(completed(held.fence));
      equal("its dependent sees it", (await fixture.claimOne("a")).blockers[0]?.chainId, id);
    }
  },
});
