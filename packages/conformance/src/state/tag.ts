import type { Tags } from "chainwright";
import { equal, match, present } from "../check.ts";
import { blockedBy, completed, continued, failed, job, newId } from "./build.ts";
import { refused } from "./fixture.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { byId, chainQuery, chains, idsOf } from "./listing.ts";

/** The ids of the chains with these tags. */
async function tagged(fixture: StateFixture, tags: Tags): Promise<readonly string[]> {
  return idsOf(await chains(fixture, { tags }));
}

/** Tags that a store may confuse with something else. The engine refuses empty texts, NUL and unpaired surrogates. */
const unusual: readonly (readonly [name: string, value: string])[] = [
  ["__proto__", "constructor"],
  ["constructor", "__proto__"],
  ["toString", "hasOwnProperty"],
  ["a.b[0]", '$."x"'],
  ['"', "\\"],
  ["'; drop table job; --", "''"],
  ["%_", "%"],
  ["null", "null"],
  [" ", "\t\n"],
  ["ключ 鍵 😀", "é e\u0301"],
  ["n".repeat(100), "v".repeat(500)],
];

export const tagCases = rules("tags", {
  "returns the tags that a chain was started with, on its record and in lists": async (fixture) => {
    const tags = { orderId: "42", tenant: "acme" };
    const { id } = await fixture.startOne(job("a", { tags }));
    equal("by id", (await fixture.chain(id)).tags, tags);
    equal("in a list", (await chains(fixture))[0]?.tags, tags);
    equal("none", (await fixture.chain((await fixture.startOne(job("a"))).id)).tags, undefined);
  },

  "finds exactly the chains that have a tag": async (fixture) => {
    const start = (tags: Tags) => fixture.startOne(job("a", { tags }));
    const one = await start({ orderId: "42" });
    const two = await start({ orderId: "42", tenant: "acme" });
    await start({ orderId: "4" });
    await start({ orderId: "421" });
    await start({ other: "42" });
    await start({ "42": "orderId" });
    await fixture.startOne(job("a", { input: '{"orderId":"42"}' }));
    equal("both", await tagged(fixture, { orderId: "42" }), byId([one.id, two.id]));
    equal("case counts", await tagged(fixture, { orderid: "42" }), []);
    equal("no value", await tagged(fixture, { orderId: "" }), []);
    equal("none asked for: all", (await tagged(fixture, {})).length, 7);
  },

  "finds the chains that have all of several tags, and match the other filters": async (fixture) => {
    const start = (typeName: string, tags: Tags) => fixture.startOne(job(typeName, { tags }));
    const both = await start("a", { orderId: "42", tenant: "acme" });
    const other = await start("b", { tenant: "acme", orderId: "42", more: "x" });
    await start("a", { orderId: "42", tenant: "other" });
    await start("a", { orderId: "43", tenant: "acme" });
    const tags = { tenant: "acme", orderId: "42" };
    equal("both tags", await tagged(fixture, tags), byId([both.id, other.id]));
    equal("of a type", idsOf(await chains(fixture, { tags, typeNames: ["b"] })), [other.id]);
    equal("by id", idsOf(await chains(fixture, { tags, ids: [both.id, newId()] })), [both.id]);
    await fixture.settled(failed({ chainId: both.id, typeName: "a" }));
    equal("failed", idsOf(await chains(fixture, { tags, statuses: ["failed"] })), [both.id]);
    equal("by error", idsOf(await chains(fixture, { tags, errorText: "broke" })), [both.id]);
    equal("active", idsOf(await chains(fixture, { tags, statuses: ["active"] })), [other.id]);
    equal("created later", await chains(fixture, { tags, createdFrom: fixture.now() + 1 }), []);
    equal("no chain has all", await tagged(fixture, { ...tags, more: "y" }), []);
  },

  "keeps names and values of any characters apart": async (fixture) => {
    for (const pair of unusual) {
      const tags = Object.fromEntries([pair]);
      const { id } = await fixture.startOne(job("a", { tags }));
      equal(`${pair[0]} is found`, await tagged(fixture, tags), [id]);
      equal(`${pair[0]} comes back`, Object.entries((await fixture.chain(id)).tags ?? {}), [pair]);
    }
    for (const [name] of unusual) {
      equal(`another value of ${name}`, await tagged(fixture, Object.fromEntries([[name, "other"]])), []);
    }
  },

  "pages of one tag, in both orders, neither skip nor repeat a chain, whatever is written or deleted between them":
    async (fixture) => {
      const tags = { tenant: "acme" };
      const all = byId(idsOf(await fixture.start(Array.from({ length: 30 }, () => job("a", { tags })))));
      const doomed = [...idsOf(await fixture.start(Array.from({ length: 8 }, () => job("a", { tags }))))];
      for (const order of ["ascending", "descending"] as const) {
        const seen: string[] = [];
        for (let after: string | undefined; ;) {
          const page = idsOf(await chains(fixture, { tags, order, after, limit: 7 }));
          if (page.length === 0) break;
          seen.push(...page);
          after = page.at(-1);
          const gone = doomed.pop();
          await fixture.store.remove({ chainIds: gone === undefined ? [] : [gone], cascade: false }, fixture.options());
          await fixture.start([job("a", { tags: { tenant: "other" } }), job("b")]);
        }
        const there = new Set(all);
        equal("each once", new Set(seen).size, seen.length);
        equal(
          order,
          seen.filter((id) => there.has(id)),
          order === "ascending" ? all : all.toReversed(),
        );
      }
    },

  "a deduplicated start keeps the tags of the chain that holds the key": async (fixture) => {
    const deduplication = { key: "k", scope: "active", windowMs: undefined } as const;
    const first = await fixture.startOne(job("a", { deduplication, tags: { run: "1" } }));
    const second = await fixture.startOne(job("a", { deduplication, tags: { run: "2", more: "x" } }));
    equal("the same chain", [second.id, second.deduplicated], [first.id, true]);
    equal("its tags", (await fixture.chain(first.id)).tags, { run: "1" });
    equal("found by them", await tagged(fixture, { run: "1" }), [first.id]);
    equal("not by the others", await tagged(fixture, { run: "2" }), []);
  },

  "a chain keeps its tags when it is continued, fails, is retried and is cancelled": async (fixture) => {
    const tags = { orderId: "42" };
    const { id } = await fixture.startOne(job("a", { tags }));
    const still = async (when: string) => {
      equal(when, await tagged(fixture, tags), [id]);
      equal(when, (await fixture.chain(id)).tags, tags);
    };
    await fixture.settled(continued({ chainId: id, typeName: "a" }, job("b")));
    await still("continued");
    await fixture.settled(failed({ chainId: id, typeName: "b" }));
    await still("failed");
    const retry = { chainId: id, input: '"edited"', typeName: undefined };
    await fixture.insist(() => fixture.store.retry([retry], fixture.options()));
    await still("retried");
    await fixture.insist(() => fixture.store.cancel([{ chainId: id, reason: undefined }], fixture.options()));
    await still("cancelled");
  },

  "blockers that begin with a job have tags of their own": async (fixture) => {
    const inner = job("x", { tags: { part: "inner" } });
    const outer = job("y", { tags: { part: "outer" }, blockers: [{ start: inner }] });
    const top = await fixture.startOne(job("a", { tags: { part: "top" }, blockers: [{ start: outer }] }));
    equal("top", await tagged(fixture, { part: "top" }), [top.id]);
    equal("outer", await tagged(fixture, { part: "outer" }), [outer.id]);
    equal("inner", await tagged(fixture, { part: "inner" }), [inner.id]);
    const chain = await fixture.startOne(job("a", { tags: { part: "first" } }));
    const later = job("z", { tags: { part: "later" } });
    const next = job("b", { blockers: [{ start: later }] });
    await fixture.settled(continued({ chainId: chain.id, typeName: "a" }, next));
    equal("with a continuation", await tagged(fixture, { part: "later" }), [later.id]);
    equal("the chain", await tagged(fixture, { part: "first" }), [chain.id]);
  },

  "nothing of a deleted chain is found, and a new chain with its id has only its own tags": async (fixture) => {
    const old = { a: "1", b: "2" };
    const [deleted, expired, kept] = await fixture.start([
      job("a", { tags: old }),
      job("a", { tags: old }),
      job("a", { tags: old }),
    ]);
    const id = deleted?.id ?? "";
    await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options());
    await fixture.settled(completed({ chainId: expired?.id ?? "", typeName: "a" }));
    fixture.advance(1_000);
    await fixture.store.maintain({ completedMs: 500, failedMs: 500, limit: 100 }, fixture.options());
    equal("only the kept one", await tagged(fixture, old), [kept?.id]);
    await fixture.startOne(job("a", { id, tags: { a: "3" } }));
    equal("not by an old tag", await tagged(fixture, { b: "2" }), [kept?.id]);
    equal("by its own", await tagged(fixture, { a: "3" }), [id]);
    const page = { check: "keys", after: undefined, limit: 100, heldBeforeMs: 1, timeMs: 1_000 } as const;
    equal("no orphans", (await fixture.store.inspect(page, fixture.options())).faults, []);
  },

  "a deletion with its cascade leaves no tag behind": async (fixture) => {
    const tags = { tenant: "acme" };
    const blocker = await fixture.startOne(job("x", { tags }));
    await fixture.startOne(job("a", { tags, blockers: [blockedBy(blocker.id)] }));
    await fixture.insist(() => fixture.store.remove({ chainIds: [blocker.id], cascade: true }, fixture.options()));
    equal("none", await tagged(fixture, tags), []);
  },

  "a transaction that is rolled back leaves no tag, and deletes none": async (fixture) => {
    const kept = await fixture.startOne(job("a", { tags: { tenant: "acme" } }));
    const rollback = new Error("rolled back");
    const run = fixture.store.transaction(async (tx) => {
      const { id } = await fixture.startOne(job("a", { tags: { tenant: "acme" } }), tx);
      const inside = await fixture.store.listChains(chainQuery({ tags: { tenant: "acme" } }), fixture.options(tx));
      equal("found inside", idsOf(inside), byId([kept.id, id]));
      await fixture.store.remove({ chainIds: [kept.id], cascade: false }, fixture.options(tx));
      throw rollback;
    });
    equal("it was rolled back", await run.catch((error: unknown) => error), rollback);
    equal("only the kept one", await tagged(fixture, { tenant: "acme" }), [kept.id]);
    await fixture.transact((tx) => fixture.startOne(job("a", { tags: { tenant: "acme" } }), tx));
    equal("a commit adds one", (await tagged(fixture, { tenant: "acme" })).length, 2);
  },

  "a start that is refused leaves no tag, and the tags of the others in its batch stay": async (fixture) => {
    const tags = { tenant: "acme" };
    const taken = await fixture.startOne(job("a"));
    const good = job("a", { tags });
    const bad = [job("a", { tags }), job("a", { id: taken.id, tags })];
    const [first, second] = await fixture.store.start([{ starts: [good] }, { starts: bad }], fixture.options());
    equal("the first begins", first?.ok, true);
    match("the second", refused("refused", present("a reply", second)), { code: "duplicate-id", id: taken.id });
    equal("one", await tagged(fixture, tags), [good.id]);
    equal("the chain of the id", (await fixture.chain(taken.id)).tags, undefined);
  },
});
