import { equal, match, rejected, rejectsWith } from "../check.ts";
import { newId } from "../state/build.ts";
import { behaviours } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

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

  "when the application has opened it, committed(tx) wakes the workers": async (fixture) => {
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

  "when the application has opened it, workers look by themselves without committed(tx)": async (fixture) => {
    const { client, state, clock } = fixture;
    await fixture.work({ work: () => "found" }, { pollIntervalMs: 30_000 });
    const chain = await state.adapter.transaction((tx) => client.startChain({ tx, typeName: "work", input: 1 }));
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("runs", (await leapUntil(clock, 30_000, ended)).output, "found");
  },

  "when the application has opened it, rolledBack(tx) drops its events": async (fixture) => {
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
      "nothing is reported",
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
      await rejectsWith("not scheduled", client.triggerJob({ tx, id: firstJobIdOf(first) }), "job-not-scheduled");
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
      await client.triggerJob({ tx, id: firstJobIdOf(later) });
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
    match("as it was", await client.getJob({ id: firstJobIdOf(later) }), { status: "scheduled" });
    await client.transaction(run);
    equal("gone", await client.getChain({ id: idle.id }), undefined);
    match("ready", await client.getJob({ id: firstJobIdOf(later) }), { status: "ready" });
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
    await eventLog.until("the start is reported", (event) => event.type === "chain-started" && event.chainId === id);
  },

  "that loses a race is run again where the library owns it, and rejects where the caller does": async (fixture) => {
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
    await rejectsWith("the caller's transaction rejects", caller, "transaction-conflict");
    equal("and is not run again", calls, 1);
    state.loseRaces(["exchange"], 3);
    const again = await client.startChain({ typeName: "work", input: 1 });
    fixture.clock.leap(10_000);
    equal("a worker continues", (await inTime("it ends", client.awaitChain(again))).output, "completed");
  },
});
