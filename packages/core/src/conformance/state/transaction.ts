import { equal, match, rejected } from "../check.ts";
import { completed, job } from "./build.ts";
import { rules } from "./group.ts";

export const transactionCases = rules("transaction", {
  "answers what its callback resolves with": async (stage) => {
    equal("value", await stage.store.transaction(() => Promise.resolve(42)), 42);
  },

  "commits what was written with its handle": async (stage) => {
    const chain = await stage.transact((tx) => stage.startOne(job("a"), tx));
    match("there", await stage.chain(chain.id), { status: "active" });
  },

  "rolls back when its callback rejects, and rejects with the same error": async (stage) => {
    const start = job("a");
    const mine = new Error("mine");
    const error = await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await stage.startOne(start, tx);
        throw mine;
      }),
    );
    equal("the very error", error === mine, true);
    equal("not there", await stage.store.getChains([start.id], stage.options()), [undefined]);
    equal("not claimable", await stage.claim(["a"]), []);
  },

  "undoes a rolled-back outcome": async (stage) => {
    const chain = await stage.startOne(job("a"));
    const held = await stage.claimOne("a");
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await stage.settled(completed(held.fence), tx);
        throw new Error("no");
      }),
    );
    match("still running", await stage.job(chain.id), { status: "running", attempt: 1 });
    await stage.settled(completed(held.fence, "1"));
    match("settles later", await stage.chain(chain.id), { status: "completed", output: "1" });
  },
});
