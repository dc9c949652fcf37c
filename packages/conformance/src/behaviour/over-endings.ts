import type { Worker } from "chainwright";
import { equal } from "../check.ts";
import { newId } from "../state/build.ts";
import { eventually, inTime } from "./event-log.ts";
import type { AppFixture, Process } from "./fixture.ts";
import { createGate } from "./gate.ts";
import { behaviours, type BehaviourGroup } from "./group.ts";
import type { Context } from "./handlers.ts";
import { isRefused } from "./late-call.ts";
import { leapUntil } from "./leaping-clock.ts";

const timeoutMs = 5_000;
const leaseMs = 30_000;
const inAnHour = { afterMs: 3_600_000 };
const never = (): Promise<never> => new Promise(() => {});

/** An attempt in a process of its own. */
interface Attempt {
  readonly id: string;
  readonly process: Process;
  readonly worker: Worker;
}

interface Ending {
  /** The reason with which every call of its context is refused from then on. */
  readonly reason: string;
  /** How its handler ends, if it does. */
  readonly handler: (context: Context) => unknown;
  /** What ends it from outside. */
  readonly act?: (fixture: AppFixture, attempt: Attempt) => Promise<unknown>;
}

const ofItself: Readonly<Record<string, Ending>> = {
  "has returned": { reason: "returned", handler: () => "returned" },
  "has thrown": {
    reason: "threw",
    handler: () => {
      throw new Error("broke");
    },
  },
};

const byItsWorker: Readonly<Record<string, Ending>> = {
  "has timed out": { reason: "timeout", handler: never, act: async ({ clock }) => clock.leap(timeoutMs) },
  "was given back by a worker that stopped": {
    reason: "worker-stopping",
    handler: never,
    act: ({ clock }, { worker }) => leapUntil(clock, 1_000, inTime("it stops", worker.stop({ timeoutMs: 1_000 }))),
  },
};

const otherwise: Readonly<Record<string, Ending>> = {
  "has rescheduled its job": { reason: "threw", handler: ({ reschedule }) => reschedule(inAnHour) },
  "was cancelled with its chain": {
    reason: "cancelled",
    handler: never,
    act: ({ client }, { id }) => client.cancelChain({ id }),
  },
  "has lost its lease": {
    reason: "lease-lost",
    handler: never,
    act: async (_scene, { process }) => process.state.away(true),
  },
};

type Beginning = (context: Context, process: Process) => Promise<unknown>;

/** Starts a chain whose attempt begins and ends in some way; resolves when it has ended. */
async function endAttempt(fixture: AppFixture, ending: Ending, begin: Beginning): Promise<Attempt> {
  const process = await fixture.process();
  const begun = createGate();
  const handler = async (context: Context): Promise<unknown> => {
    await begin(context, process);
    begun.open();
    return ending.handler(context);
  };
  const work = { timeoutMs: ending.reason === "timeout" ? timeoutMs : Infinity, retry: { maxAttempts: 1 }, handler };
  const worker = await process.work({ work }, { leaseMs });
  const ended = fixture.eventLog.until("it ends", ({ type }) => type === "attempt-ended");
  const { id } = await fixture.client.startChain({ typeName: "work", input: 1 });
  await inTime("it begins", begun.passed);
  const attempt = { id, process, worker };
  await ending.act?.(fixture, attempt);
  await (ending.act === undefined ? ended : leapUntil(fixture.clock, 1_000, ended));
  process.state.away(false);
  return attempt;
}

/** Other chains can still be started and ended. */
async function otherChainsEnd(fixture: AppFixture): Promise<void> {
  await fixture.work({ next: () => "on" });
  const chain = await fixture.client.startChain({ typeName: "next", input: 1 });
  equal("another chain ends", (await inTime("it ends", fixture.client.awaitChain(chain))).output, "on");
}

type Write = (scope: { readonly tx: unknown }) => Promise<unknown>;
type Call = (context: Context, write: Write) => Promise<unknown>;

const transactions: Readonly<Record<string, Call>> = {
  "prepare, staged": ({ prepare }, write) => prepare({ mode: "staged" }, write),
  "prepare, atomic": ({ prepare }, write) => prepare({ mode: "atomic" }, write),
  complete: ({ complete }, write) => complete(write),
};

/** All calls of a context. */
const calls: Readonly<Record<string, Call>> = {
  ...transactions,
  continueWith: async ({ continueWith }) => continueWith({ typeName: "next", input: 1 }),
  reschedule: async ({ reschedule }) => reschedule(inAnHour),
};

function refusal(ending: Ending) {
  return async (fixture: AppFixture): Promise<void> => {
    const contexts: Context[] = [];
    const { id, process } = await endAttempt(fixture, ending, async (context) => contexts.push(context));
    const opened = process.state.calls.get("transaction");
    let runs = 0;
    for (const [name, call] of Object.entries(calls)) {
      for (const context of contexts)
        await isRefused(
          name,
          call(context, async () => (runs += 1)),
          ending.reason,
        );
    }
    equal("no callback runs", runs, 0);
    equal("no transaction is opened", process.state.calls.get("transaction"), opened);
    await eventually("its outcome is in", async () => (await fixture.client.getJob({ id }))?.status !== "running");
    const output = ending.reason === "returned" ? "returned" : undefined;
    equal("the chain", (await fixture.client.getChain({ id }))?.output, output);
  };
}

function rollback(ending: Ending, call: Call) {
  return async (fixture: AppFixture): Promise<void> => {
    const effect = newId();
    let left: Promise<unknown> | undefined;
    const { process } = await endAttempt(fixture, ending, async (context, { client }) => {
      const written = createGate();
      left = call(context, async ({ tx }) => {
        await client.startChain({ tx, typeName: "idle", input: 1, id: effect });
        written.open();
        return never();
      });
      await written.passed;
    });
    await isRefused("the call", left, ending.reason);
    await eventually("no transaction is open", () => process.state.openTransactions() === 0);
    equal("nothing of it is left", await fixture.client.getChain({ id: effect }), undefined);
    await otherChainsEnd(fixture);
  };
}

function opening(ending: Ending) {
  return async (fixture: AppFixture): Promise<void> => {
    let runs = 0;
    let left: Promise<unknown> | undefined;
    const { process } = await endAttempt(fixture, ending, async ({ prepare }, { state }) => {
      state.holdTransactions(true);
      left = prepare({ mode: "atomic" }, async () => (runs += 1));
    });
    await isRefused("the call", left, ending.reason);
    process.state.holdTransactions(false);
    await eventually("it is opened", () => process.state.openedTransactions() === 1);
    await eventually("and does not stay open", () => process.state.openTransactions() === 0);
    equal("its callback does not run", runs, 0);
    await otherChainsEnd(fixture);
  };
}

function overCases(): BehaviourGroup["rules"] {
  const rules: Record<string, (fixture: AppFixture) => Promise<void>> = {};
  for (const [how, ending] of Object.entries({ ...ofItself, ...byItsWorker, ...otherwise })) {
    rules[`when it ${how}, every call of its context is refused`] = refusal(ending);
  }
  for (const [how, ending] of Object.entries({ ...ofItself, ...byItsWorker })) {
    rules[`when it ${how}, a transaction that is being opened is rolled back`] = opening(ending);
    for (const [name, call] of Object.entries(transactions)) {
      // An attempt whose handler ends by itself ends with the `complete` that it began.
      if (name === "complete" && ending.act === undefined) continue;
      rules[`when it ${how}, a ${name} whose callback never ends is rolled back`] = rollback(ending, call);
    }
  }
  return rules;
}

export const overEndingsCases = behaviours("an attempt that is over", overCases());
