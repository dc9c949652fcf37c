import type { JobStart } from "chainwright/adapter";
import { equal } from "../check.ts";
import { completed, failed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { rules } from "./group.ts";
import { byId, chains, idsOf } from "./listing.ts";

type Scope = "active" | "any";

const keyed = (key: string, scope: Scope = "active", windowMs?: number): JobStart =>
  job("a", { deduplication: { key, scope, windowMs } });

async function holderOf(fixture: StateFixture, ...keys: readonly string[]) {
  const holders = await fixture.store.getKeyHolders(keys, fixture.options());
  return holders.map((chain) => chain?.id);
}

export const keyCases = rules("keys", {
  "lists all chains that were started with a key, whether or not they hold it": async (fixture) => {
    const first = await fixture.startOne(keyed("k"));
    await fixture.settled(failed({ chainId: first.id, typeName: "a" }));
    const second = await fixture.startOne(keyed("k"));
    await fixture.settled(completed({ chainId: second.id, typeName: "a" }));
    const third = await fixture.startOne(keyed("k"));
    await fixture.startOne(keyed("k"));
    await fixture.startOne(keyed("K"));
    await fixture.startOne(keyed("k2"));
    await fixture.startOne(job("a"));
    const all = byId([first.id, second.id, third.id]);
    const key = { equals: "k" };
    equal("all", idsOf(await chains(fixture, { key })), all);
    equal("descending", idsOf(await chains(fixture, { key, order: "descending" })), all.toReversed());
    equal("a page", idsOf(await chains(fixture, { key, after: all[0], limit: 1 })), [all[1]]);
    equal("by status", idsOf(await chains(fixture, { key, statuses: ["failed"] })), [first.id]);
    equal("by id", idsOf(await chains(fixture, { key, ids: [third.id] })), [third.id]);
    equal("none", await chains(fixture, { key: { equals: "other" } }), []);
    equal("the record", (await fixture.chain(first.id)).key, "k");
  },

  "lists the chains whose keys begin with a text": async (fixture) => {
    const ids = new Map<string, string>();
    for (const key of ['["a","x"]', '["a","y"]', '["a%","x"]', '["a', '["A","x"]', '["é","x"]', '["é_","x"]']) {
      ids.set(key, (await fixture.startOne(keyed(key))).id);
    }
    const found = async (beginsWith: string) => idsOf(await chains(fixture, { key: { beginsWith } }));
    const idsFor = (...keys: readonly string[]) => byId(keys.map((key) => ids.get(key) ?? ""));
    equal("a", await found('["a",'), idsFor('["a","x"]', '["a","y"]'));
    equal("no pattern", await found('["a%",'), idsFor('["a%","x"]'));
    equal("beyond ASCII", await found('["é",'), idsFor('["é","x"]'));
    equal("none", await found('["b",'), []);
    const tags = { run: "1" };
    const { id } = await fixture.startOne({ ...keyed('["a","z"]'), tags });
    equal("with a tag", idsOf(await chains(fixture, { key: { beginsWith: '["a",' }, tags })), [id]);
    equal("with another", await chains(fixture, { key: { equals: '["a","x"]' }, tags }), []);
  },

  "returns the chain that holds a key now": async (fixture) => {
    const first = await fixture.startOne(keyed("k"));
    const any = await fixture.startOne(keyed("any", "any"));
    const short = await fixture.startOne(keyed("short", "any", 1_000));
    equal("each", await holderOf(fixture, "any", "k", "other", "short", "k"), [
      any.id,
      first.id,
      undefined,
      short.id,
      first.id,
    ]);
    const [holder] = await fixture.store.getKeyHolders(["k"], fixture.options());
    equal("the same record as by id", holder, await fixture.chain(first.id));
    for (const { id } of [first, any]) await fixture.settled(completed({ chainId: id, typeName: "a" }));
    fixture.advance(1_000);
    equal("ended, and past its window", await holderOf(fixture, "k", "any", "short"), [undefined, any.id, undefined]);
    const second = await fixture.startOne(keyed("k"));
    equal("the next one", await holderOf(fixture, "k"), [second.id]);
    equal("no keys", await holderOf(fixture), []);
  },

  "a chain that is deleted is found by its key no more": async (fixture) => {
    const { id } = await fixture.startOne(keyed("k", "any"));
    await fixture.store.remove({ chainIds: [id], cascade: false }, fixture.options());
    equal("no holder", await holderOf(fixture, "k"), [undefined]);
    equal("not listed", await chains(fixture, { key: { equals: "k" } }), []);
  },

  "a transaction sees the keys that it has taken, and its rollback gives them back": async (fixture) => {
    const rollback = new Error("rolled back");
    const run = fixture.store.transaction(async (tx) => {
      const { id } = await fixture.startOne(keyed("k"), tx);
      const [holder] = await fixture.store.getKeyHolders(["k"], fixture.options(tx));
      equal("inside", holder?.id, id);
      throw rollback;
    });
    equal("it was rolled back", await run.catch((error: unknown) => error), rollback);
    equal("afterwards", await holderOf(fixture, "k"), [undefined]);
    equal("not listed", await chains(fixture, { key: { equals: "k" } }), []);
  },
});
