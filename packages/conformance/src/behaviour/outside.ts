import { equal, match, rejectsWith } from "../check.ts";
import { isChainwrightError, type ChainStatus, type Worker } from "chainwright";
import { abortOf, createGate, type Gate } from "./gate.ts";
import { behaviours, type BehaviourGroup } from "./group.ts";
import type { AppClient } from "./app-client.ts";
import type { Process, AppFixture } from "./fixture.ts";
import { leapUntil } from "./leaping-clock.ts";
import { inTime } from "./event-log.ts";
import { firstJobIdOf } from "./first-job.ts";

/** An attempt that waits for its signal or for the case, and what it received. */
interface Underway {
  readonly id: string;
  readonly process: Process;
  readonly worker: Worker;
  readonly go: Gate;
  /** The code of the signal's reason. */
  readonly aborted: Promise<string>;
  /** Why `complete` was refused when the handler continued after all, or "completed". */
  readonly completion: Promise<string>;
}

/** Starts a chain whose attempt is under way in another process. */
async function begin(fixture: AppFixture): Promise<Underway> {
  const elsewhere = await fixture.process();
  const begun = createGate();
  const go = createGate();
  const aborted = Promise.withResolvers<string>();
  const completion = Promise.withResolvers<string>();
  const worker = await elsewhere.work(
    {
      work: async ({ signal, complete }) => {
        void abortOf(signal).then(aborted.resolve);
        begun.open();
        await go.passed;
        try {
          const result = await complete(() => "by the worker");
          completion.resolve("completed");
          return result;
        } catch (error) {
          completion.resolve(reasonOf(error));
          throw error;
        }
      },
    },
    { leaseMs: 30_000 },
  );
  const { id } = await fixture.client.startChain({ typeName: "work", input: 1 });
  await inTime("it begins", begun.passed);
  return { id, process: elsewhere, worker, go, aborted: aborted.promise, completion: completion.promise };
}

/** Why an attempt is over, as the error of its refused call reports it. */
function reasonOf(error: unknown): string {
  return isChainwrightError(error, "attempt-ended") ? String(error.details["reason"]) : String(error);
}

interface Intervention {
  readonly act: (client: AppClient, id: string) => Promise<unknown>;
  readonly code: string;
  readonly status: ChainStatus | undefined;
}

const interventions: Readonly<Record<string, Intervention>> = {
  cancelled: {
    act: (client, id) => client.cancelChain({ id, reason: "stop" }),
    code: "cancelled",
    status: "cancelled",
  },
  deleted: { act: (client, id) => client.deleteChain({ id }), code: "cancelled", status: undefined },
  completed: {
    act: (client, id) => client.completeChain({ id, typeName: "work", output: "by hand" }),
    code: "completed-elsewhere",
    status: "completed",
  },
  continued: {
    act: (client, id) => client.continueChain({ id, typeName: "work", with: { typeName: "next", input: 1 } }),
    code: "completed-elsewhere",
    status: "active",
  },
};

const interventionCases: BehaviourGroup["rules"] = Object.fromEntries(
  Object.entries(interventions).flatMap(([what, { act, code, status }]) => [
    [
      `when a chain is ${what} while an attempt runs, its signal aborts with ${code}`,
      async (fixture: AppFixture) => {
        const attempt = await begin(fixture);
        await act(fixture.client, attempt.id);
        const notified = inTime("it is notified", attempt.aborted);
        // Without hints its next renewal reports it.
        equal(
          "why",
          await (fixture.notify === undefined ? leapUntil(fixture.clock, 10_500, notified) : notified),
          code,
        );
        attempt.go.open();
        equal("and it is refused", await inTime("it ends", attempt.completion), code);
        equal("the chain", (await fixture.client.getChain({ id: attempt.id }))?.status, status);
      },
    ],
    [
      `when a chain is ${what} at the end of an attempt, the completion is refused with ${code}`,
      async (fixture: AppFixture) => {
        const attempt = await begin(fixture);
        await act(fixture.client, attempt.id);
        attempt.go.open();
        equal("refused", await inTime("it ends", attempt.completion), code);
        equal("the chain", (await fixture.client.getChain({ id: attempt.id }))?.status, status);
      },
    ],
  ]),
);

export const interventionsCases = behaviours("from outside", interventionCases);

export const outsideCases = behaviours("from outside", {
  "of an intervention and the end of the attempt at the same time, one succeeds and the other is refused": async (
    fixture,
  ) => {
    const { client } = fixture;
    for (let round = 0; round < 5; round += 1) {
      const attempt = await begin(fixture);
      attempt.go.open();
      const cancelled = client.cancelChain({ id: attempt.id }).then(
        () => "cancelled",
        (error: unknown) => (isChainwrightError(error) ? error.code : String(error)),
      );
      const [outside, inside] = await inTime("both end", Promise.all([cancelled, attempt.completion]));
      const status = (await client.getChain({ id: attempt.id }))?.status;
      equal(
        "one of them",
        [outside, inside],
        status === "cancelled" ? ["cancelled", "cancelled"] : ["chain-not-active", "completed"],
      );
      await attempt.worker.stop({ timeoutMs: 0 });
    }
  },

  "after a retry while the earlier attempt still runs elsewhere, only the new attempt counts": async (fixture) => {
    const { client } = fixture;
    const attempt = await begin(fixture);
    // It receives no reply, and cannot claim the new attempt.
    attempt.process.state.away(true);
    await client.cancelChain({ id: attempt.id });
    await client.retryChain({ id: attempt.id });
    await fixture.work({ work: () => "by the new attempt" });
    equal("the new one", (await inTime("it ends", client.awaitChain({ id: attempt.id }))).output, "by the new attempt");
    attempt.process.state.away(false);
    attempt.go.open();
    equal("the old one is refused", (await inTime("it ends", attempt.completion)) === "completed", false);
    equal("as it was", (await client.getChain({ id: attempt.id }))?.output, "by the new attempt");
  },

  "after a retry with another input, claimed by the worker that still runs the earlier attempt, only the new attempt counts":
    async (fixture) => {
      const { client, clock } = fixture;
      const lonely = await fixture.process();
      const begun = { old: createGate(), new: createGate() };
      const go = { old: createGate(), new: createGate() };
      const oldEnded = createGate();
      await lonely.work(
        {
          work: async ({ job, complete }) => {
            const which = job.input === "old" ? "old" : "new";
            begun[which].open();
            await go[which].passed;
            return complete(() => which).finally(which === "old" ? oldEnded.open : undefined);
          },
        },
        { pollIntervalMs: 100 },
      );
      const { id } = await client.startChain({ typeName: "work", input: "old" });
      await leapUntil(clock, 100, inTime("it begins", begun.old.passed));
      // No hint reaches the worker: it claims the job again before it notices that it has lost it.
      fixture.notify?.mute();
      await client.cancelChain({ id });
      await client.retryChain({ id, typeName: "work", input: "new" });
      await leapUntil(clock, 100, inTime("it begins again", begun.new.passed));
      go.old.open();
      await inTime("the old one ends", oldEnded.passed);
      go.new.open();
      equal("the new one counts", (await inTime("it ends", client.awaitChain({ id }))).output, "new");
    },

  "a scheduled job is triggered, and then runs at once": async (fixture) => {
    const { client } = fixture;
    await fixture.work({ work: () => "triggered" }, { pollIntervalMs: 60_000 });
    const chain = await client.startChain({ typeName: "work", input: 1, schedule: { afterMs: 3_600_000 } });
    match("waits", await client.getJob({ id: firstJobIdOf(chain) }), { status: "scheduled" });
    await client.triggerJob({ id: firstJobIdOf(chain) });
    const ended = inTime("it ends", client.awaitChain(chain));
    const woken = fixture.notify === undefined ? leapUntil(fixture.clock, 10_000, ended) : ended;
    equal("runs", (await woken).output, "triggered");
    await rejectsWith("only once", client.triggerJob({ id: firstJobIdOf(chain) }), "job-not-scheduled");
  },

  "a call that names a chain twice changes it once or is refused, and never makes half a change": async (fixture) => {
    const { client } = fixture;
    const later = await client.startChain({ typeName: "idle", input: 1, schedule: { afterMs: 60_000 } });
    const twice = { items: [{ id: later.id }, { id: later.id }] };
    const twiceTheJob = { id: firstJobIdOf(later) };
    await client.triggerJobs({ items: [twiceTheJob, twiceTheJob] });
    match("triggered", await client.getJob({ id: firstJobIdOf(later) }), { status: "ready" });
    await rejectsWith("cancelled twice", client.cancelChains(twice), "invalid-input");
    match("as it was", await client.getChain({ id: later.id }), { status: "active" });
    await client.cancelChain({ id: later.id });
    await rejectsWith("retried twice", client.retryChains(twice), "invalid-input");
    match("as it was", await client.getChain({ id: later.id }), { status: "cancelled" });
    equal("deleted", await client.deleteChains(twice), [later.id]);
  },

  "a waiting caller is rejected at once when the chain is deleted": async (fixture) => {
    const { client } = fixture;
    const elsewhere = await fixture.process();
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const wait = rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-not-found");
    await elsewhere.client.deleteChain({ id: chain.id });
    await (fixture.notify === undefined ? leapUntil(fixture.clock, 500, wait) : wait);
  },

  "a waiting caller is rejected with the reason when the chain is cancelled": async (fixture) => {
    const { client } = fixture;
    const chain = await client.startChain({ typeName: "idle", input: 1 });
    const wait = rejectsWith("the wait rejects", inTime("it ends", client.awaitChain(chain)), "chain-cancelled");
    await client.cancelChain({ id: chain.id, reason: "no longer wanted" });
    const error = await wait;
    equal("why", String(error).includes("no longer wanted"), true);
  },
});
