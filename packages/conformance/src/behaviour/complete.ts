import { isChainwrightError } from "chainwright";
import { equal, holds, match, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { eventually, inTime } from "./event-log.ts";

export const completeCases = behaviours("complete", {
  "ends the step in a transaction, with an output or a continuation": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: ({ complete }) => complete(({ continueWith }) => continueWith({ typeName: "next", input: "went on" })),
      next: ({ job, complete }) => complete(() => Promise.resolve({ from: job.input })),
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, { from: "went on" });
  },

  "its callback may start chains in the same transaction": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: ({ complete }) =>
        complete(async ({ tx }) => (await client.startChain({ tx, typeName: "idle", input: "begun within" })).id),
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    const { output } = await inTime("it ends", client.awaitChain(chain));
    match("begun", await client.getChain({ id: String(output) }), { status: "active", input: "begun within" });
  },

  "is run again as a whole when its transaction loses a race at its end, with one attempt and one effect": async (
    fixture,
  ) => {
    const { client, state } = fixture;
    let runs = 0;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ complete }) =>
          complete(async ({ tx }) => {
            runs += 1;
            await client.startChain({ tx, typeName: "idle", input: runs });
            return runs;
          }),
      },
    });
    state.loseRaces(["transaction"], 2);
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("the third run's", (await inTime("it ends", client.awaitChain(chain))).output, 3);
    const { items } = await client.listChains({ typeName: "idle" });
    equal(
      "its effect alone",
      items.map(({ input }) => input),
      [3],
    );
  },

  "may end the chain in the run that counts, after a run that continued it and lost a race": async (fixture) => {
    const { client, state } = fixture;
    let runs = 0;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ complete, continueWith }) =>
          complete(async () => {
            runs += 1;
            return runs === 1 ? continueWith({ typeName: "next", input: 1 }) : "ended";
          }),
      },
    });
    state.loseRaces(["transaction"], 1);
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("the second run's", (await inTime("it ends", client.awaitChain(chain))).output, "ended");
  },

  "a staged prepare that loses a race at its end is run again": async (fixture) => {
    const { client, state } = fixture;
    let runs = 0;
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: async ({ prepare, complete }) => {
          await prepare({ mode: "staged" }, ({ tx }) => {
            runs += 1;
            return client.startChain({ tx, typeName: "idle", input: runs });
          });
          return complete(() => "ended");
        },
      },
    });
    state.loseRaces(["transaction"], 2);
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("ended", (await inTime("it ends", client.awaitChain(chain))).output, "ended");
    equal("one effect", (await client.countJobs()).idle?.ready, 1);
  },

  "a callback that throws leaves nothing behind, and its attempt has failed": async (fixture) => {
    const { client } = fixture;
    const id = newId();
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: ({ complete }) =>
          complete(async ({ tx }) => {
            await client.startChain({ tx, typeName: "idle", input: 1, id });
            throw new Error("changed its mind");
          }),
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("its error", (await client.getChain({ id: chain.id }))?.error, { message: "changed its mind" });
    equal("nothing is left", await client.getChain({ id }), undefined);
  },

  "a staged prepare commits at once, and an atomic one commits with the end": async (fixture) => {
    const { client } = fixture;
    const ids = { staged: newId(), atomic: newId() };
    const seen: unknown[] = [];
    await fixture.work({
      work: async ({ job, prepare, complete }) => {
        const mode = job.input === "staged" ? "staged" : "atomic";
        const prepared = await prepare({ mode }, async ({ tx }) => {
          await client.startChain({ tx, typeName: "idle", input: 1, id: ids[mode] });
          return "prepared";
        });
        // Only what is committed can be seen from outside; a store with one writer is not read while it writes.
        if (mode === "staged") seen.push((await client.getChain({ id: ids.staged }))?.status);
        return complete(() => prepared);
      },
    });
    for (const mode of ["staged", "atomic"] as const) {
      const chain = await client.startChain({ typeName: "work", input: mode });
      equal("what prepare returns", (await inTime("it ends", client.awaitChain(chain))).output, "prepared");
      match("begun", await client.getChain({ id: ids[mode] }), { status: "active" });
    }
    equal("committed at once", seen, ["active"]);
  },

  "an atomic prepare rolls back with a handler that throws or forgets to complete": async (fixture) => {
    const { client } = fixture;
    const ids = { throws: newId(), forgets: newId() };
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: async ({ job, prepare }) => {
          const how = job.input === "throws" ? "throws" : "forgets";
          await prepare({ mode: "atomic" }, ({ tx }) =>
            client.startChain({ tx, typeName: "idle", input: 1, id: ids[how] }),
          );
          if (how === "throws") throw new Error("no");
          return "forgot";
        },
      },
    });
    for (const how of ["throws", "forgets"] as const) {
      const chain = await client.startChain({ typeName: "work", input: how });
      await rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-failed");
      equal(
        "its error",
        (await client.getChain({ id: chain.id }))?.error?.name,
        how === "throws" ? "Error" : "handler-result",
      );
      equal("rolled back", await client.getChain({ id: ids[how] }), undefined);
      await eventually("and ended", () => fixture.state.openTransactions() === 0);
    }
  },

  "prepare needs no callback": async (fixture) => {
    const { client } = fixture;
    await fixture.work({
      work: async ({ job, prepare, complete }) => {
        await prepare({ mode: job.input === "staged" ? "staged" : "atomic" });
        return complete(() => "ended");
      },
    });
    for (const mode of ["staged", "atomic"]) {
      const chain = await client.startChain({ typeName: "work", input: mode });
      equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "ended");
    }
  },

  "an open transaction of a handler does not keep its worker from renewing leases or ending jobs": async (fixture) => {
    const { client, clock } = fixture;
    const begun = createGate();
    const go = createGate();
    await fixture.work(
      {
        work: async ({ job, prepare, complete }) => {
          await prepare({ mode: "atomic" }, ({ tx }) => client.startChain({ tx, typeName: "idle", input: 1 }));
          begun.open();
          await go.passed;
          return complete(() => job.attempt);
        },
        next: () => "meanwhile",
      },
      { leaseMs: 30_000 },
    );
    const chain = await client.startChain({ typeName: "work", input: 1 });
    await inTime("it begins", begun.passed);
    const neighbour = client.startChain({ typeName: "next", input: 1 });
    for (const ms of [11_000, 11_000, 5_000]) {
      clock.leap(ms);
      for (let turn = 0; turn < 5; turn += 1) await clock.yield();
    }
    go.open();
    equal("the first attempt ends it", (await inTime("it ends", client.awaitChain(chain))).output, 1);
    const ended = inTime("the neighbour ends", client.awaitChain(await neighbour));
    equal("and so does its neighbour", (await ended).output, "meanwhile");
    equal("one effect", (await client.countJobs()).idle?.ready, 1);
  },

  "rejects with an error that says so when it or prepare is called twice or in the wrong order": async (fixture) => {
    const { client } = fixture;
    const wrong: Readonly<Record<string, string>> = {
      "prepare twice": "handler-result",
      "complete twice": "handler-result",
      "prepare after complete": "handler-result",
    };
    const errors = new Map<string, unknown>();
    await fixture.work({
      work: {
        retry: { maxAttempts: 1 },
        handler: async ({ job, prepare, complete }) => {
          const how = String(job.input);
          const note = (error: unknown) => void errors.set(how, error);
          if (how === "prepare twice") {
            await prepare({ mode: "staged" });
            await prepare({ mode: "staged" }).catch(note);
          }
          const result = await complete(() => "ended");
          if (how === "complete twice") await complete(() => "again").catch(note);
          if (how === "prepare after complete") await prepare({ mode: "staged" }).catch(note);
          return result;
        },
      },
    });
    for (const [how, code] of Object.entries(wrong)) {
      const chain = await client.startChain({ typeName: "work", input: how });
      const ended = await resolves(inTime("it ends", client.awaitChain(chain)));
      const error = errors.get(how);
      holds(`${how}: the error says so`, isChainwrightError(error) && error.code === code, error);
      equal(`${how}: the step ended nevertheless`, ended, true);
    }
  },

  "counts although its handler does not await it": async (fixture) => {
    const { client } = fixture;
    const go = createGate();
    await fixture.work({
      work: ({ complete }) => {
        void complete(async () => {
          await go.passed;
          return "counted";
        });
        go.open();
      },
    });
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("its end", (await inTime("it ends", client.awaitChain(chain))).output, "counted");
  },
});

async function resolves(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
