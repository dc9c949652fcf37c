import { ChainwrightError, type Worker, type WorkerOptions } from "chainwright";
import type { Hint } from "chainwright/adapter";
import { equal, holds, match, present, rejectsWith } from "../check.ts";
import { behavioursWith } from "./group.ts";
import { leapUntil } from "./leaping-clock.ts";
import type { Process, AppFixture } from "./fixture.ts";
import type { WatchedNotify } from "./watched-notify.ts";
import { eventually, inTime } from "./event-log.ts";

/** A worker that would not look by itself for a minute while wake-ups arrive. */
const patient: WorkerOptions = { pollIntervalMs: 60_000 };

const well = { listening: "ok", publishing: "ok" } as const;

/** How long a job without a hint may wait: a second, and what the store and a busy machine add. */
const longestWaitMs = 5_000;

interface Sleeper extends Process {
  readonly notify: WatchedNotify;
  readonly worker: Worker;
}

function notifyOf({ notify }: Process): WatchedNotify {
  return present("the fixture has a notify adapter", notify);
}

/** A worker at rest, in a process of its own. */
async function sleeper(fixture: AppFixture): Promise<Sleeper> {
  const elsewhere = await fixture.process();
  const worker = await elsewhere.work({ work: () => "woken" }, patient);
  await inTime(
    "it is up",
    elsewhere.client.awaitChain(await elsewhere.client.startChain({ typeName: "work", input: 0 })),
  );
  return { ...elsewhere, notify: notifyOf(elsewhere), worker };
}

/**
 * Starts a job of which no worker gets a hint, and returns how long the job waited. The process of the worker awaits it, so that the case
 * opens no other subscription while time leaps.
 */
async function waitOf(fixture: AppFixture, { client }: Process): Promise<number> {
  const { clock } = fixture;
  const startedAt = clock.now();
  const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
  await leapUntil(clock, 1_000, inTime("it ends", client.awaitChain(chain)));
  return clock.now() - startedAt;
}

/** The events about notifications, in a few words each. */
function reported({ eventLog }: AppFixture): readonly string[] {
  return eventLog.seen.flatMap((event) => {
    if (event.type === "notifications-restored") return [`${event.direction} restored`];
    if (event.type !== "notifications-lost") return [];
    return [`${event.direction} lost${event.forGood ? " for good" : ""}`];
  });
}

export const brokenNotifyCases = behavioursWith("wake-ups that fail", "notify", {
  "still reach the workers of their own process while the broker is lost": async (fixture) => {
    const { notify, client } = await sleeper(fixture);
    notify.lose();
    notify.mute();
    for (let round = 0; round < 3; round += 1) {
      const chain = await client.startChain({ typeName: "work", input: round });
      equal("woken", (await inTime("it ends", client.awaitChain(chain))).output, "woken");
    }
  },

  "because the subscription is lost make the worker look each second and report it, until it is restored": async (
    fixture,
  ) => {
    const elsewhere = await sleeper(fixture);
    const { notify, worker } = elsewhere;
    notify.lose();
    match("its health", worker.health(), { status: "running", notifications: { ...well, listening: "lost" } });
    for (let round = 0; round < 3; round += 1) {
      const waitedMs = await waitOf(fixture, elsewhere);
      holds("found within about a second", waitedMs < longestWaitMs, waitedMs);
    }
    notify.restore();
    match("its health", worker.health(), { notifications: well });
    const chain = await fixture.client.startChain({ typeName: "work", input: 1 });
    equal("woken again", (await inTime("it ends", fixture.client.awaitChain(chain))).output, "woken");
    equal("what was reported", reported(fixture), ["listening lost", "listening restored"]);
  },

  "because the broker's client has given up are reported as lost for good": async (fixture) => {
    const elsewhere = await sleeper(fixture);
    const { notify, worker } = elsewhere;
    notify.lose();
    notify.lose(new ChainwrightError("closed", "the client has given up"));
    match("its health", worker.health(), { status: "running", notifications: { ...well, listening: "lost-for-good" } });
    equal("what was reported", reported(fixture), ["listening lost", "listening lost for good"]);
    const waitedMs = await waitOf(fixture, elsewhere);
    holds("found within about a second", waitedMs < longestWaitMs, waitedMs);
  },

  "because the subscription hangs at the start make the worker look at once, then each second, and report it": async (
    fixture,
  ) => {
    const { client, clock } = fixture;
    const elsewhere = await fixture.process();
    const { goOn } = notifyOf(elsewhere).hang();
    const chain = await client.startChain({ typeName: "work", input: 1 });
    const starting = elsewhere.work({ work: () => "found" }, patient);
    equal("found at once", (await inTime("it ends", elsewhere.client.awaitChain(chain))).output, "found");
    const waitedMs = await waitOf(fixture, elsewhere);
    holds("found within about a second", waitedMs < longestWaitMs, waitedMs);
    const worker = await leapUntil(clock, 1_000, inTime("it has started", starting));
    match("its health", worker.health(), { status: "running", notifications: { ...well, listening: "lost" } });
    goOn();
    await eventually("the subscription is open", () => worker.health().notifications?.listening === "ok");
    equal("what was reported", reported(fixture), ["listening lost", "listening restored"]);
  },

  "because a process cannot publish are reported once, and so is the recovery": async (fixture) => {
    const { client } = fixture;
    const notify = notifyOf(fixture);
    notify.mute();
    await client.startChain({ typeName: "idle", input: 1 });
    await client.startChain({ typeName: "idle", input: 2 });
    await eventually("the loss is reported", () => reported(fixture).length > 0);
    notify.mute(false);
    await client.startChain({ typeName: "idle", input: 3 });
    await eventually("the recovery is reported", () => reported(fixture).length > 1);
    equal("each is reported once", reported(fixture), ["publishing lost", "publishing restored"]);
    const made = notify.published.at(-1)?.some(({ kind }) => kind === "look");
    equal("a hint to look replaces what was not sent", made, true);
  },

  "because a process cannot publish make its worker look each second": async (fixture) => {
    const elsewhere = await sleeper(fixture);
    const { notify, worker, client } = elsewhere;
    notify.mute();
    await client.startChain({ typeName: "idle", input: 1 });
    await eventually("the loss is reported", () => reported(fixture).length > 0);
    match("its health", worker.health(), { notifications: { ...well, publishing: "lost" } });
    notifyOf(fixture).mute();
    const waitedMs = await waitOf(fixture, elsewhere);
    holds("found within about a second", waitedMs < longestWaitMs, waitedMs);
  },

  "because another process cannot publish make a worker look each second once it has found a job without a hint":
    async (fixture) => {
      const elsewhere = await sleeper(fixture);
      notifyOf(fixture).mute();
      const firstMs = await waitOf(fixture, elsewhere);
      holds("the first one is found when the worker looks by itself", firstMs < 60_000 + longestWaitMs, firstMs);
      for (let round = 0; round < 3; round += 1) {
        const waitedMs = await waitOf(fixture, elsewhere);
        holds("found within about a second", waitedMs < longestWaitMs, waitedMs);
      }
    },

  "because the broker hangs leave a wait for a chain its limits, and it finds a chain that has ended": async (
    fixture,
  ) => {
    const { client, clock } = fixture;
    const ended = await client.startChain({ typeName: "idle", input: 1 });
    await client.completeChain({ id: ended.id, typeName: "idle", output: "over" });
    const open = await client.startChain({ typeName: "idle", input: 1 });
    const elsewhere = await fixture.process();
    const { goOn } = notifyOf(elsewhere).hang();
    const wait = elsewhere.client.awaitChain({ id: ended.id });
    equal("the end is seen at once", (await inTime("it ends", wait)).output, "over");
    const abort = new AbortController();
    const aborted = elsewhere.client.awaitChain({ id: open.id }, { signal: abort.signal });
    abort.abort(new ChainwrightError("closed", "the case aborts the wait"));
    await rejectsWith("the signal", inTime("the signal aborts", aborted), "closed");
    const limited = elsewhere.client.awaitChain({ id: open.id }, { timeoutMs: 100 });
    const rejected = rejectsWith("the limit", inTime("it is kept", limited), "await-timeout");
    clock.leap(100);
    await rejected;
    const late = elsewhere.client.awaitChain({ id: open.id });
    await client.completeChain({ id: open.id, typeName: "idle", output: "later" });
    equal("found by looking", (await leapUntil(clock, 1_000, inTime("it ends", late))).output, "later");
    goOn();
  },

  "because messages are forged do not delay a job": async (fixture) => {
    const { client } = fixture;
    const { state } = await sleeper(fixture);
    const storeId = await state.adapter.storeId({});
    const crowd = Array.from({ length: 1_200 }, (_, index): Hint => {
      return { kind: "taken", workerId: `forged-${index}`, typeName: "work", count: 0 };
    });
    const forged: readonly Hint[] = [
      ...crowd,
      { kind: "ready", typeName: "work", count: 10 ** 15, draw: 7 },
      { kind: "taken", workerId: "forged-0", typeName: "work", count: 10 ** 15 },
      { kind: "left", workerId: "forged-1" },
      { kind: "interrupt", jobId: "unknown" },
    ];
    const forger = notifyOf(await fixture.process()).adapter;
    for (let round = 0; round < 5; round += 1) {
      await forger.publish({ storeId, senderId: "forger", hints: forged });
      const chain = await client.startChain({ typeName: "work", input: round });
      equal("woken", (await inTime("it ends", client.awaitChain(chain))).output, "woken");
    }
  },

  "because they are from another store on the same broker change nothing": async (fixture) => {
    const { client } = fixture;
    const { state, notify } = await sleeper(fixture);
    const neighbour = notifyOf(await fixture.process()).adapter;
    const hints: readonly Hint[] = [
      { kind: "look" },
      { kind: "ready", typeName: "work", count: 5 },
      { kind: "ready", typeName: "work", count: 5, draw: 1 },
    ];
    const looks = () => state.calls.get("exchange") ?? 0;
    await eventually("it is at rest", async () => {
      const before = looks();
      await fixture.clock.yield();
      return looks() === before;
    });
    const before = looks();
    for (let round = 0; round < 20; round += 1)
      await neighbour.publish({ storeId: "another", senderId: "neighbour", hints });
    // Its hint arrives after the hints of the other store.
    const chain = await client.startChain({ typeName: "work", input: 1 });
    equal("woken", (await inTime("it ends", client.awaitChain(chain))).output, "woken");
    holds("it looked for its own job, and for nothing else", looks() - before <= 4, looks() - before);
    equal("nothing was lost", reported(fixture), []);
    equal("it had published hints of its own", notify.published.length > 0, true);
  },
});
