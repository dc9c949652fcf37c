import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { runStep } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { refusalError } from "../engine/refusal-error.ts";
import { retryConflicts } from "../engine/retry-conflicts.ts";
import { settledEvents } from "../engine/settle.ts";
import { openTransaction, runTransaction, type OpenTransaction } from "../engine/transaction.ts";
import { invalid } from "../engine/check-options.ts";
import { continueWith } from "../engine/continuation.ts";
import { handlerResultError } from "../engine/handler-result-error.ts";
import { completedResult, type CompletedResult } from "./handler-result.ts";
import type { AttemptSignal } from "./attempt-signal.ts";
import { lostError } from "./lost-error.ts";
import { outcomeOf } from "../engine/outcome-of.ts";

/** The two steps in which a handler may write: `prepare`, then `complete`. */
export interface AttemptSteps {
  prepare(options: { readonly mode: "staged" | "atomic" }, callback?: PrepareCallback): Promise<unknown>;
  complete(callback: CompleteCallback): Promise<CompletedResult>;
  /** Called when the handler has returned: waits for a `complete` that it did not wait for itself. */
  finish(): Promise<"settled" | "lost" | "open" | "unsettled">;
  /** Why the store refused to settle, once it has: the job is somebody else's. */
  lostReason(): LostReason | undefined;
  /** Whether the attempt is settling itself, or has. */
  isCompleting(): boolean;
  /** Rolls back what the handler holds open, unless it is writing in there just now: that ends by itself, and is refused. */
  abandon(reason: unknown): Promise<void>;
}

type PrepareCallback = (scope: { readonly tx: unknown }) => unknown;
type CompleteCallback = (scope: { readonly tx: unknown; readonly continueWith: typeof continueWith }) => unknown;

interface Steps {
  readonly engine: Engine;
  readonly job: ClaimedJob;
  readonly fence: Fence;
  readonly signal: AttemptSignal;
  phase: "begun" | "preparing" | "prepared" | "completing" | "settled" | "failed";
  /** The transaction of an atomic `prepare`, until `complete` ends it. */
  open: OpenTransaction | undefined;
  lost: LostReason | undefined;
  completion: Promise<unknown> | undefined;
}

export function createAttemptSteps(engine: Engine, job: ClaimedJob, fence: Fence, signal: AttemptSignal): AttemptSteps {
  const steps: Steps = {
    engine,
    job,
    fence,
    signal,
    phase: "begun",
    open: undefined,
    lost: undefined,
    completion: undefined,
  };
  return {
    prepare: ({ mode }, callback) => runStep(engine.contexts, "prepare", () => prepare(steps, mode, callback)),
    complete(callback) {
      const completion = runStep(engine.contexts, "complete", () => complete(steps, callback));
      steps.completion = completion.catch(() => undefined);
      return completion;
    },
    async finish() {
      await steps.completion;
      if (steps.phase === "settled") return "settled";
      if (steps.lost !== undefined) return "lost";
      return steps.open === undefined ? "unsettled" : "open";
    },
    lostReason: () => steps.lost,
    isCompleting: () => steps.phase === "completing" || steps.phase === "settled",
    async abandon(reason) {
      if (steps.phase !== "preparing" && steps.phase !== "completing") await rollback(steps, reason);
    },
  };
}

async function prepare(
  steps: Steps,
  mode: "staged" | "atomic",
  callback: PrepareCallback | undefined,
): Promise<unknown> {
  const { engine, job, signal } = steps;
  if (steps.phase !== "begun") {
    throw handlerResultError(job.typeName, "called prepare twice, or after complete; it comes once and first");
  }
  if (mode !== "staged" && mode !== "atomic") {
    throw invalid(`prepare takes { mode: "staged" } or { mode: "atomic" }, got ${String(mode)}.`);
  }
  throwIfStopped(signal);
  steps.phase = "preparing";
  try {
    if (mode === "staged") return callback === undefined ? undefined : await stage(engine, callback);
    steps.open = await openTransaction(engine);
    const prepared = await callback?.({ tx: steps.open.tx });
    // Told to stop meanwhile: a handler that does not listen would keep the transaction open.
    const stopReason = signal.reason();
    if (stopReason !== undefined) await rollback(steps, stopReason);
    return prepared;
  } finally {
    steps.phase = "prepared";
  }
}

function throwIfStopped(signal: AttemptSignal): void {
  const reason = signal.reason();
  if (reason !== undefined) throw reason;
}

async function rollback(steps: Steps, reason: unknown): Promise<void> {
  const transaction = steps.open;
  steps.open = undefined;
  await transaction?.rollback(reason);
}

function stage(engine: Engine, callback: PrepareCallback): Promise<unknown> {
  return retryConflicts(engine.state, engine.clock, () => runTransaction(engine, async (tx) => await callback({ tx })));
}

async function complete(steps: Steps, callback: CompleteCallback): Promise<CompletedResult> {
  const { job, signal } = steps;
  if (steps.phase !== "begun" && steps.phase !== "prepared") {
    throw handlerResultError(job.typeName, "called complete twice, or before prepare had ended; it ends the step");
  }
  if (typeof callback !== "function") {
    throw invalid("complete takes a callback that returns the output or a continuation.");
  }
  throwIfStopped(signal);
  steps.phase = "completing";
  try {
    await (steps.open === undefined ? settleInOwn(steps, callback) : settleInOpen(steps, steps.open, callback));
    steps.phase = "settled";
    return completedResult;
  } finally {
    if (steps.phase !== "settled") steps.phase = "failed";
  }
}

/** A transaction of its own, run again when it loses a race: the callback may be called more than once. */
async function settleInOwn(steps: Steps, callback: CompleteCallback): Promise<void> {
  const { engine } = steps;
  await retryConflicts(engine.state, engine.clock, () => runTransaction(engine, (tx) => settleIn(steps, tx, callback)));
}

/** The transaction that `prepare` opened. */
async function settleInOpen(steps: Steps, transaction: OpenTransaction, callback: CompleteCallback): Promise<void> {
  steps.open = undefined;
  try {
    await settleIn(steps, transaction.tx, callback);
  } catch (error) {
    await transaction.rollback(error);
    throw error;
  }
  await transaction.commit();
}

/** The user's writes, then the outcome under the same fence as any: refused, it takes the user's writes with it. */
async function settleIn(steps: Steps, tx: unknown, callback: CompleteCallback): Promise<void> {
  const { engine, fence, job, signal } = steps;
  const value = await callback({ tx, continueWith });
  const outcome = await outcomeOf(engine, { target: fence, typeName: job.typeName, priority: job.priority }, value);
  throwIfStopped(signal);
  const [reply] = await engine.state.settle([outcome], engine.callOptions(tx));
  if (reply?.status === "refused") throw refusalError(reply.refusal);
  if (reply?.status !== "settled") {
    steps.lost = reply?.reason ?? "lease-lost";
    throw lostError(steps.lost, job);
  }
  engine.events.record(
    settledEvents(outcome, reply, { now: engine.clock.now(), by: { workerId: fence.workerId, attempt: job.attempt } }),
    tx,
  );
}
