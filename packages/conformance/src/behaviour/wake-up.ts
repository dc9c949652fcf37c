import type { Hint } from "chainwright/adapter";
import { equal, holds, match, only } from "../check.ts";
import { abortOf, createGate } from "./gate.ts";
import { behaviours, behavioursWith } from "./group.ts";
import type { Process, AppFixture } from "./fixture.ts";
import { leapUntil } from "./leaping-clock.ts";
import { eventually, inTime } from "./event-log.ts";

/** Hints of a kind that a process has published. */
function published(process: Process, kind: Hint["kind"]): readonly Hint[] {
  return process.notify?.published.flat().filter((hint) => hint.kind === kind) ?? [];
}

/** A worker at rest, in a process of its own, that would not look by itself for a minute. */
async function sleepingWorker(fixture: AppFixture, run: () => unknown = () => "woken"): Promise<Process> {
  const elsewhere = await fixture.process();
  await elsewhere.work({ work: run, next: run, gather: run }, { pollIntervalMs: 60_000 });
  const warmUp = await elsewhere.client.startChain({ typeName: "work", input: "first" });
  await inTime("it is up", elsewhere.client.awaitChain(warmUp));
  return elsewhere;
}

export const wakeUpCases = behavioursWith("a wake-up", "notify", {
  "reaches a sleeping worker in another process when a chain starts": async (fixture) => {
    const { client } = fixture;
    await sleepingWorker(fixture);
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("runs", (await inTime("it ends", client.awaitChain(chain))).output, "woken");
  },

  "reaches a sleeping worker when a transaction commits, a blocker completes, a chain is continued or retried": async (
    fixture,
  ) => {
    const { client } = fixture;
    await sleepingWorker(fixture);
    const committed = await client.transaction((tx) => client.startChain({ tx, typeName: "work", input: 1 }));
    await inTime("committed", client.awaitChain(committed));
    const blocker = await client.startChain({ typeName: "idle", input: 1 });
    await client.continueChain({ id: blocker.id, typeName: "idle", with: { typeName: "idle", input: 2 } });
    const outside = await client.startChain({ typeName: "work", input: 1, schedule: { afterMs: 3_600_000 } });
    const blocked = await client.startChain({ typeName: "gather", input: 1, blockers: [outside] });
    await client.completeChain({ id: outside.id, typeName: "work", output: 1 });
    await inTime("unblocked", client.awaitChain(blocked));
    await client.continueChain({ id: blocker.id, typeName: "idle", with: { typeName: "work", input: 2 } });
    await inTime("continued", client.awaitChain(blocker));
    const cancelled = await client.startChain({ typeName: "next", input: 1, schedule: { afterMs: 3_600_000 } });
    await client.cancelChain({ id: cancelled.id });
    await client.retryChain({ id: cancelled.id });
    await inTime("retried", client.awaitChain(cancelled));
  },

  "is sent after the commit, never before, and not for what rolled back": async (fixture) => {
    const { client } = fixture;
    const hinted = createGate();
    let committed = false;
    await client.transaction(async (tx) => {
      await client.startChain({ tx, typeName: "work", input: 1 });
      await fixture.clock.yield();
      equal("not within", published(fixture, "ready").length, 0);
      committed = true;
      hinted.open();
    });
    await hinted.passed;
    await eventually("after it", () => published(fixture, "ready").length > 0);
    equal("after the commit", committed, true);
    const before = published(fixture, "ready").length;
    await client
      .transaction(async (tx) => {
        await client.startChain({ tx, typeName: "work", input: 1 });
        throw new Error("undo");
      })
      .catch(() => {});
    await fixture.clock.yield();
    equal("not for what rolled back", published(fixture, "ready").length, before);
  },

  "is one message for a batch, not one for each job": async (fixture) => {
    const { client } = fixture;
    await client.startChains({ items: Array.from({ length: 100 }, () => ({ typeName: "work", input: 1 }) as const) });
    await eventually("it is sent", () => published(fixture, "ready").length > 0);
    await fixture.clock.yield();
    match("one hint", only("one", published(fixture, "ready")), { kind: "ready", typeName: "work", count: 100 });
    equal("one message", fixture.notify?.published.length, 1);
  },

  "reaches a caller that awaits a chain in another process": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const wait = inTime("the wait ends", elsewhere.client.awaitChain({ id: chain.id }));
    await eventually("it looks", () => elsewhere.state.calls.has("getChains"));
    await client.completeChain({ id: chain.id, typeName: "idle", output: "by hand" });
    equal("its output", (await wait).output, "by hand");
  },

  "reaches an attempt that was cancelled or ended from outside, with no time passing": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    const codes: string[] = [];
    let begun = createGate();
    let received = createGate();
    await elsewhere.work({
      work: async ({ signal }) => {
        begun.open();
        codes.push(await abortOf(signal));
        received.open();
      },
    });
    for (const act of [
      (id: string) => client.cancelChain({ id }),
      (id: string) => client.completeChain({ id, typeName: "work", output: 1 }),
      (id: string) => client.continueChain({ id, typeName: "work", with: { typeName: "next", input: 1 } }),
    ]) {
      begun = createGate();
      received = createGate();
      const { id } = await client.startChain({ typeName: "work", input: 1 });
      await inTime("it begins", begun.passed);
      await act(id);
      await inTime("the signal aborts", received.passed);
    }
    equal("why", codes, ["cancelled", "completed-elsewhere", "completed-elsewhere"]);
  },

  "that is lost costs time and nothing else": async (fixture) => {
    const { client, clock, notify } = fixture;
    await sleepingWorker(fixture);
    notify?.mute();
    const chain = await client.startChain({ typeName: "work", input: 1 });
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("found at the next look", (await leapUntil(clock, 10_000, ended)).output, "woken");
  },
});

export const lookingCases = behaviours("looking", {
  "a worker finds jobs without a wake-up": async (fixture) => {
    const { client, clock } = fixture;
    const silent = await fixture.process();
    silent.notify?.mute();
    await fixture.work({ work: () => "found" }, { pollIntervalMs: 1_000 });
    const chain = await silent.client.startChain({ typeName: "work", input: 1 });
    const ended = inTime("it ends", client.awaitChain(chain));
    equal("found", (await leapUntil(clock, 1_000, ended)).output, "found");
  },

  "a worker wakes for what falls due before its next look": async (fixture) => {
    const { client, clock, state } = fixture;
    await fixture.work({ work: () => "on time" }, { pollIntervalMs: 60_000 });
    const chain = await client.startChain({ typeName: "work", input: 1, schedule: { afterMs: 500 } });
    // Only its own timer for the due job can wake it: nothing is published when time passes.
    const looked = state.calls.get("exchange") ?? 0;
    const ended = inTime("it ends", client.awaitChain(chain));
    if (fixture.notify === undefined) await leapUntil(clock, 500, ended);
    const { output } = await ended;
    equal("on time", output, "on time");
    holds("without many looks", (state.calls.get("exchange") ?? 0) - looked < 50, state.calls.get("exchange"));
  },
});
