import { equal, holds, match, rejected, rejectsWith } from "../check.ts";
import { job } from "./build.ts";
import { everyCall } from "./every-call.ts";
import { rules, rulesWith } from "./group.ts";
import { everything } from "./listing.ts";

export const migratedCases = rules("migrate", {
  "again changes nothing, and runs nothing": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const before = await everything(stage);
    equal("nothing to run", await stage.store.migrate(), []);
    equal("nothing would run", await stage.store.migrate({ dryRun: true }), []);
    equal("as it was", await everything(stage), before);
    match("works", await stage.claimOne("a"), { id: chain.id });
  },

  "gave the store an id, the same for every adapter on it, and leaves it as it is": async (stage) => {
    const id = await stage.store.storeId(stage.options());
    holds("it can stand in a message", /^[\w-]{8,64}$/.test(id), id);
    await stage.store.migrate();
    const other = await stage.connect();
    equal("the same", await other.store.storeId(other.options()), id);
    const elsewhere = await stage.elsewhere();
    holds("another store has another", (await elsewhere.store.storeId(elsewhere.options())) !== id, id);
    equal("in a transaction", await stage.transact((tx) => stage.store.storeId(stage.options(tx))), id);
  },

  "many at the same time, beside work, do no harm": async (stage) => {
    const others = await Promise.all(Array.from({ length: 3 }, () => stage.connect()));
    const chain = await stage.startOne(job("a"));
    await Promise.all([
      ...others.map((other) => other.store.migrate()),
      stage.store.migrate(),
      stage.insist(() => stage.startOne(job("b"))),
    ]);
    match("works", await stage.claimOne("a"), { id: chain.id });
  },
});

export const migrationCases = rulesWith("migrate", "unmigrated", {
  "calls before it reject with not-migrated": async (stage) => {
    for (const [name, call] of everyCall) {
      const reply = call(stage.store, stage.options());
      // What a store throws inside a given transaction is thrown on unchanged.
      if (name === "transaction") await rejected(`${name} rejects`, reply);
      else await rejectsWith(`${name} rejects`, reply, "not-migrated");
    }
  },

  "dryRun names what would run, and runs nothing": async (stage) => {
    const planned = await stage.store.migrate({ dryRun: true });
    holds("there is something to run", planned.length > 0, planned);
    await rejectsWith("still not migrated", stage.store.count(stage.options()), "not-migrated");
    equal("the same again", await stage.store.migrate({ dryRun: true }), planned);
    equal("runs what it named", await stage.store.migrate(), planned);
    equal("nothing is left", await stage.store.migrate({ dryRun: true }), []);
    await stage.startOne(job("a"));
  },

  "from eight at the same time: all resolve, one has run it": async (stage) => {
    const others = await Promise.all(Array.from({ length: 7 }, () => stage.connect()));
    const ran = await Promise.all([stage, ...others].map((own) => own.store.migrate()));
    equal("one ran it", ran.filter((statements) => statements.length > 0).length, 1);
    for (const own of [stage, ...others]) await own.insist(() => own.startOne(job("a")));
    equal("works for all", (await stage.claim(["a"])).length, 8);
  },
});
