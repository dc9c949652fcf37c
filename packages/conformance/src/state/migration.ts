import { equal, holds, match, rejected, rejectsWith } from "../check.ts";
import { job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import { rules, rulesWith } from "./group.ts";
import { everything } from "./listing.ts";

export const migratedCases = rules("migrate", {
  "a second migration runs no statement": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    const before = await everything(fixture);
    equal("nothing to run", await fixture.store.migrate(), []);
    equal("nothing would run", await fixture.store.migrate({ dryRun: true }), []);
    equal("as it was", await everything(fixture), before);
    match("works", await fixture.claimOne("a"), { id: chain.id });
  },

  "the first migration gives the store an id, which every adapter on it reads and later migrations keep": async (
    fixture,
  ) => {
    const id = await fixture.store.storeId(fixture.options());
    holds("it can be part of a message", /^[\w-]{8,64}$/.test(id), id);
    await fixture.store.migrate();
    const other = await fixture.connect();
    equal("the same", await other.store.storeId(other.options()), id);
    equal("in a transaction", await fixture.transact((tx) => fixture.store.storeId(fixture.options(tx))), id);
  },

  "the schema has the newest version after a migration, and nothing is left to contract": async (fixture) => {
    const { version, newest, compatibleFrom, contractPending } = await fixture.store.schema();
    equal("not pending", contractPending, false);
    holds("this package can use it", version >= newest && compatibleFrom <= newest, {
      version,
      newest,
      compatibleFrom,
    });
    equal("nothing to contract", await fixture.store.migrate({ contract: true }), []);
    await fixture.startOne(job("a"));
  },

  "many migrations at the same time as other calls do no harm": async (fixture) => {
    const others = await Promise.all(Array.from({ length: 3 }, () => fixture.connect()));
    const chain = await fixture.startOne(job("a"));
    await Promise.all([
      ...others.map((other) => other.store.migrate()),
      fixture.store.migrate(),
      fixture.insist(() => fixture.startOne(job("b"))),
    ]);
    match("works", await fixture.claimOne("a"), { id: chain.id });
  },
});

export const migrationCases = rulesWith("migrate", "unmigrated", {
  "calls before the first migration reject with not-migrated": async (fixture) => {
    for (const [name, call] of everyCall) {
      const reply = call(fixture.store, fixture.options());
      // An error that a store throws inside a given transaction is passed on unchanged.
      if (name === "transaction") await rejected(`${name} rejects`, reply);
      else await rejectsWith(`${name} rejects`, reply, "not-migrated");
    }
  },

  "dryRun returns the statements and runs none": async (fixture) => {
    const planned = await fixture.store.migrate({ dryRun: true });
    holds("there is something to run", planned.length > 0, planned);
    equal("no version yet", (await fixture.store.schema()).version, 0);
    await rejectsWith("still not migrated", fixture.store.count(fixture.options()), "not-migrated");
    equal("the same again", await fixture.store.migrate({ dryRun: true }), planned);
    equal("runs what it named", await fixture.store.migrate(), planned);
    equal("nothing is left", await fixture.store.migrate({ dryRun: true }), []);
    await fixture.startOne(job("a"));
  },

  "the first migration gives each store an id of its own": async (fixture) => {
    const elsewhere = await fixture.elsewhere();
    const ids: string[] = [];
    for (const { store, options } of [fixture, elsewhere]) {
      await store.migrate();
      ids.push(await store.storeId(options()));
    }
    holds("they differ", ids[0] !== ids[1], ids);
  },

  "eight migrations at the same time all resolve, and one of them runs the statements": async (fixture) => {
    const others = await Promise.all(Array.from({ length: 7 }, () => fixture.connect()));
    const ran = await Promise.all([fixture, ...others].map((own) => own.store.migrate()));
    equal("one ran it", ran.filter((statements) => statements.length > 0).length, 1);
    for (const own of [fixture, ...others]) await own.insist(() => own.startOne(job("a")));
    equal("works for all", (await fixture.claim(["a"])).length, 8);
  },
});
