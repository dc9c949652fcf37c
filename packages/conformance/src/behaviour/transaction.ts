import { isChainwrightError } from "chainwright";
import { equal, holds, match, rejected, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { createGate } from "./gate.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { eventually, inTime } from "./event-log.ts";

export const transactionCases = behaviours("a transaction", {
  "starts chains when it commits, and not when it rolls back": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: ({ job }) => job.input });
    const started = await client.transaction(async (tx) => {
      const chain = await client.startChain({ tx, typeName: "work", input: "committed" });
      match("seen within", await client.getChain({ tx, id: chain.id }), { status: "active" });
      return chain;
    });
    equal("runs", (await inTime("it ends", client.awaitChain(started))).output, "committed");
    const id = newId();
    const mine = new Error("mine");
    const error = await rejected(
      "rejects",
      client.transaction(async (tx) => {
        await client.startChain({ tx, typeName: "work", input: "rolled back", id });
        throw mine;
      }),
    );
    equal("with the same error", error === mine, true);
    equal("not there", await client.getChain({ id }), undefined);
  },

  "opened by the application: committed(tx) wakes the workers": async (fixture) => {
    const { client, state } = fixture;
    await fixture.work({ work: () => "woken" }, { pollIntervalMs: 60_000 });
    let handle: unknown;
    const chain = await state.adapter.transaction(async (tx) => {
      handle = tx;
      return client.startChain({ tx, typeName: "work", input: 1 });
    });
    client.committed(handle);
    equal("runs", (await inTime("it ends", client.awaitChain(chain))).output, "woken");
  },

  "opened by the application: without committed(tx) workers look by themselves": async (fixture) => {
    const { client, state, clock } = fixture;
    await fixture.work({ work: () => "found" }, { pollIntervalMs: 30_000 });
    const chain = await state.adapter.transaction((tx) => client.startChain({ tx, typeName: "work", input: 1 }));
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("runs", (await leapUntil(clock, 30_000, ended)).output, "found");
  },

  "opened by the application: rolledBack(tx) drops its events": async (fixture) => {
    const { client, state, eventLog } = fixture;
    const handle: unknown[] = [];
    await rejected(
      "rejects",
      state.adapter.transaction(async (tx) => {
        handle.push(tx);
        await client.startChain({ tx, typeName: "idle", input: 1 });
        throw new Error("undo");
      }),
    );
    client.rolledBack(handle[0]);
    client.committed(handle[0]);
    equal(
      "nothing is told",
      eventLog.count((event) => event.type === "chain-started"),
      0,
    );
  },

  "stays usable after a refusal": async (fixture) => {
    const { client } = fixture;
    const ids = await client.transaction(async (tx) => {
      const first = await client.startChain({ tx, typeName: "idle", input: 1 });
      await rejectsWith(
        "a taken id",
        client.startChain({ tx, typeName: "idle", input: 2, id: first.id }),
        "duplicate-id",
      );
      await rejectsWith("no such chain", client.cancelChain({ tx, id: newId() }), "chain-not-found");
      await rejectsWith("not scheduled", client.triggerJob({ tx, id: first.id }), "job-not-scheduled");
      await rejectsWith("not retryable", client.retryChain({ tx, id: first.id }), "chain-not-retryable");
      await rejectsWith(
        "not a date",
        client.startChain({ tx, typeName: "idle", input: 1, schedule: { at: new Date(Number.NaN) } }),
        "invalid-input",
      );
      const second = await client.startChain({ tx, typeName: "idle", input: 3 });
      return [first.id, second.id];
    });
    for (const id of ids) match("both are there", await client.getChain({ id }), { status: "active" });
  },

  "takes all changes, or none": async (fixture) => {
    const { client } = fixture;
    const idle = await client.startChain({ typeName: "idle", input: 1 });
    const later = await client.startChain({ typeName: "idle", input: 2, schedule: { afterMs: 60_000 } });
    const undo = new Error("undo");
    const run = async (tx: unknown) => {
      await client.completeChain({ tx, id: idle.id, typeName: "idle", output: "x" });
      await client.triggerJob({ tx, id: later.id });
      await client.cancelChain({ tx, id: later.id });
      await client.retryChain({ tx, id: later.id });
      await client.deleteChain({ tx, id: idle.id });
    };
    await rejected(
      "rejects",
      client.transaction(async (tx) => {
        await run(tx);
        throw undo;
      }),
    );
    match("as it was", await client.getChain({ id: idle.id }), { status: "active" });
    match("as it was", await client.getJob({ id: later.id }), { status: "scheduled" });
    await client.transaction(run);
    equal("gone", await client.getChain({ id: idle.id }), undefined);
    match("ready", await client.getJob({ id: later.id }), { status: "ready" });
  },

  "events and wake-ups come after its commit, and never for one that rolls back": async (fixture) => {
    const { client, eventLog } = fixture;
    const id = newId();
    const about = () => eventLog.count((event) => "chainId" in event && event.chainId === id);
    await rejected(
      "rejects",
      client.transaction(async (tx) => {
        await client.startChain({ tx, typeName: "idle", input: 1, id });
        throw new Error("undo");
      }),
    );
    equal("nothing happened", about(), 0);
    await client.transaction(async (tx) => {
      await client.startChain({ tx, typeName: "idle", input: 1, id });
      equal("not yet", about(), 0);
    });
    await eventLog.until("told", (event) => event.type === "chain-started" && event.chainId === id);
  },

  "lost to another one is run again where the library owns it, and surfaces where it does not": async (fixture) => {
    const { client, state } = fixture;
    let completions = 0;
    await fixture.work({
      work: ({ complete }) =>
        complete(() => {
          completions += 1;
          return "completed";
        }),
    });
    state.loseRaces(["start"], 2);
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    match("the start went through", await client.getChain({ id: chain.id }), { status: "active" });
    state.loseRaces(["cancel", "settle"], 2);
    await client.continueChain({ id: chain.id, typeName: "idle", with: { typeName: "work", input: 1 } });
    equal("the attempt's own too", (await inTime("it ends", client.awaitChain(chain))).output, "completed");
    equal("its callback was run", completions >= 1, true);
    state.loseRaces(["transaction"], 1);
    let calls = 0;
    const caller = client.transaction(() => Promise.resolve((calls += 1)));
    await rejectsWith("the caller's surfaces", caller, "transaction-conflict");
    equal("and is not run again", calls, 1);
    state.loseRaces(["exchange"], 3);
    const again = await client.startChain({ typeName: "work", input: 1 });
    fixture.clock.leap(10_000);
    equal("a worker goes on", (await inTime("it ends", client.awaitChain(again))).output, "completed");
  },
});

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

  "whose transaction loses a race at its end is run again, whole: one attempt, one effect": async (fixture) => {
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

  "whose staged prepare loses a race at its end is run again": async (fixture) => {
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
    await rejectsWith("told", inTime("it ends", client.awaitChain(chain)), "chain-failed");
    match("its error", (await client.getChain({ id: chain.id }))?.error, { message: "changed its mind" });
    equal("nothing is left", await client.getChain({ id }), undefined);
  },

  "prepare, staged, commits at once; atomic commits with the end": async (fixture) => {
    const { client } = fixture;
    const ids = { staged: newId(), atomic: newId() };
    const seen: unknown[] = [];
    await fixture.work({
      work: async ({ job, prepare, complete }) => {
        const mode = job.input === "staged" ? "staged" : "atomic";
        const answer = await prepare({ mode }, async ({ tx }) => {
          await client.startChain({ tx, typeName: "idle", input: 1, id: ids[mode] });
          return "answer";
        });
        // Only what is committed can be seen from outside; a store with one writer is not asked while it writes.
        if (mode === "staged") seen.push((await client.getChain({ id: ids.staged }))?.status);
        return complete(() => answer);
      },
    });
    for (const mode of ["staged", "atomic"] as const) {
      const chain = await client.startChain({ typeName: "work", input: mode });
      equal("prepare answers", (await inTime("it ends", client.awaitChain(chain))).output, "answer");
      match("begun", await client.getChain({ id: ids[mode] }), { status: "active" });
    }
    equal("committed at once", seen, ["active"]);
  },

  "prepare, atomic, rolls back with a handler that throws or forgets to complete": async (fixture) => {
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
      await rejectsWith("told", inTime("it ends", client.awaitChain(chain)), "chain-failed");
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

  "an open transaction of a handler's does not keep its worker from renewing, or from ending": async (fixture) => {
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

  "used wrongly is an error that says so: twice, after each other in the wrong order": async (fixture) => {
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
      holds(`${how}: told`, isChainwrightError(error) && error.code === code, error);
      equal(`${how}: the step ended all the same`, ended, true);
    }
  },

  "not awaited by its handler it still counts": async (fixture) => {
    const { client } = fixture;
    const go = createGate();
    await fixture.work({
      work: ({ complete }) => {
        void complete(async () => {
          await go.passed;
          return "counted";
        });
        go.open();
        return "not this";
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
