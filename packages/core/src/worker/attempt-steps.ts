import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { runStep } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { acceptSettleReply } from "../operations/settle.ts";
import { openTransaction, runTransaction, type OpenTransaction } from "../operations/transaction.ts";
import { invalid } from "../checks/check-options.ts";
import type { continueWith } from "../operations/continuation.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import { completedResult, continuing, type CompletedResult } from "./handler-result.ts";
import { checkLife, endLife, quieten, stopLife, whileAlive, type AttemptLife } from "./attempt-life.ts";
import { lostError, lostReasonOf } from "../model/lost-error.ts";
import { outcomeOf } from "../operations/outcome-of.ts";

/** The two steps in which a handler may write: `prepare`, then `complete`. */
export interface AttemptSteps {
  prepare(options: { readonly mode: "staged" | "atomic" }, callback?: PrepareCallback): Promise<unknown>;
  complete(callback: CompleteCallback): Promise<CompletedResult>;
  /**
   * Called when the handler has ended: waits for a `complete` that the handler did not wait for, then ends the attempt, and
   * waits until what it had open is rolled back. Rejects if the handler has returned and left something undone.
   */
  finish(how: "returned" | "threw"): Promise<"settled" | "lost" | "unsettled">;
  /** Why the store refused what the attempt wrote: the job is another's. */
  lostReason(): LostReason | undefined;
  /** Whether the attempt is settling itself, or has. */
  isCompleting(): boolean;
}

type PrepareCallback = (scope: { readonly tx: unknown }) => unknown;
type CompleteCallback = (scope: { readonly tx: unknown; readonly continueWith: typeof continueWith }) => unknown;

interface Steps {
  readonly engine: Engine;
  readonly job: ClaimedJob;
  readonly fence: Fence;
  readonly life: AttemptLife;
  phase: "begun" | "preparing" | "prepared" | "completing" | "settled" | "failed";
  /** The transaction of an atomic `prepare`, until `complete` ends it. */
  open: OpenTransaction | undefined;
  /** Resolves when the transaction that the attempt has opened last is committed or rolled back. */
  ended: Promise<void> | undefined;
  lost: LostReason | undefined;
  completion: Promise<void> | undefined;
}

export function createAttemptSteps(engine: Engine, job: ClaimedJob, fence: Fence, life: AttemptLife): AttemptSteps {
  const steps: Steps = {
    engine,
    job,
    fence,
    life,
    phase: "begun",
    open: undefined,
    ended: undefined,
    lost: undefined,
    completion: undefined,
  };
  return {
    prepare: ({ mode }, callback) =>
      whileAlive(life, () => runStep(engine.contexts, "prepare", () => prepare(steps, mode, callback))),
    complete(callback) {
      const completion = whileAlive(life, () => runStep(engine.contexts, "complete", () => complete(steps, callback)));
      // A handler that does not wait for it is told of a failure as its attempt's.
      quieten(completion);
      return completion;
    },
    finish: (how) => finish(steps, how),
    lostReason: () => steps.lost,
    isCompleting: () => steps.phase === "completing" || steps.phase === "settled",
  };
}

async function finish(steps: Steps, how: "returned" | "threw"): Promise<"settled" | "lost" | "unsettled"> {
  const { phase, completion, job, life } = steps;
  // Most attempts have neither; to wait for nothing takes its time, too.
  if (completion !== undefined) await completion.catch(() => undefined);
  endLife(life, how);
  if (steps.ended !== undefined) await steps.ended;
  if (steps.phase === "settled") return "settled";
  if (steps.lost !== undefined) return "lost";
  if (how === "threw") return "unsettled";
  // It did not wait for its own complete, which has failed.
  if (phase === "completing") await completion;
  if (phase === "preparing") {
    throw handlerResultError(job.typeName, "ended before its prepare had, which is rolled back; await prepare");
  }
  if (steps.open !== undefined) {
    throw handlerResultError(job.typeName, "opened a transaction with prepare and did not end it with complete");
  }
  return "unsettled";
}

async function prepare(
  steps: Steps,
  mode: "staged" | "atomic",
  callback: PrepareCallback | undefined,
): Promise<unknown> {
  if (steps.phase !== "begun") {
    throw handlerResultError(steps.job.typeName, "called prepare twice, or after complete; it comes once and first");
  }
  if (mode !== "staged" && mode !== "atomic") {
    throw invalid(`prepare's mode must be "staged" or "atomic"; got ${String(mode)}.`);
  }
  steps.phase = "preparing";
  try {
    if (mode === "staged") return callback === undefined ? undefined : await stage(steps, callback);
    steps.open = await openTransaction((run) => transact(steps, run));
    return await callback?.({ tx: steps.open.tx });
  } finally {
    steps.phase = "prepared";
  }
}

/** A transaction of its own, which commits only while the job is still this attempt's. */
async function stage(steps: Steps, callback: PrepareCallback): Promise<unknown> {
  const { engine, fence } = steps;
  let isDone = false;
  const run = async (tx: unknown): Promise<unknown> => {
    isDone = false;
    const prepared = await callback({ tx });
    isDone = true;
    return prepared;
  };
  try {
    return await retryConflicts(engine.state, engine.clock, () => transact(steps, run, fence));
  } catch (error) {
    // Before that, an error of the same code is the callback's own.
    const reason = isDone ? lostReasonOf(error) : undefined;
    if (reason === undefined) throw error;
    return lose(steps, reason);
  }
}

/** The store says that the job is not this attempt's any more: the attempt is over, as when it hears of that otherwise. */
function lose(steps: Steps, reason: LostReason): never {
  const error = lostError(reason, steps.job);
  steps.lost = reason;
  stopLife(steps.life, error);
  checkLife(steps.life);
  throw error;
}

async function complete(steps: Steps, callback: CompleteCallback): Promise<CompletedResult> {
  const { job } = steps;
  if (steps.phase !== "begun" && steps.phase !== "prepared") {
    throw handlerResultError(job.typeName, "called complete twice, or before prepare had ended; it ends the step");
  }
  if (typeof callback !== "function") {
    throw invalid("complete takes a callback that returns the output or a continuation.");
  }
  steps.phase = "completing";
  // The attempt waits for it, even if the handler does not.
  steps.completion = settle(steps, callback);
  await steps.completion;
  return completedResult;
}

async function settle(steps: Steps, callback: CompleteCallback): Promise<void> {
  try {
    await (steps.open === undefined ? settleInOwn(steps, callback) : settleInOpen(steps, steps.open, callback));
    steps.phase = "settled";
  } finally {
    if (steps.phase !== "settled") steps.phase = "failed";
  }
}

/** A transaction of its own, run again when it loses a race: the callback may be called more than once. */
function settleInOwn(steps: Steps, callback: CompleteCallback): Promise<void> {
  const { state, clock } = steps.engine;
  return retryConflicts(state, clock, () => transact(steps, (tx) => settleIn(steps, tx, callback)));
}

/** The transaction that `prepare` opened. */
async function settleInOpen(steps: Steps, transaction: OpenTransaction, callback: CompleteCallback): Promise<void> {
  steps.open = undefined;
  try {
    await whileAlive(steps.life, () => settleIn(steps, transaction.tx, callback));
  } catch (error) {
    await transaction.rollback(error);
    throw error;
  }
  await transaction.commit();
}

/** The user's writes, then the outcome under the same fence as any: refused, it takes the user's writes with it. */
async function settleIn(steps: Steps, tx: unknown, callback: CompleteCallback): Promise<void> {
  const { engine, fence, job, life } = steps;
  const value = await callback({ tx, continueWith: continuing(life) });
  const outcome = await outcomeOf(engine, { target: fence, typeName: job.typeName, priority: job.priority }, value);
  checkLife(life);
  const [reply] = await engine.state.settle([outcome], engine.callOptions(tx));
  const by = { workerId: fence.workerId, attempt: job.attempt };
  const lost = acceptSettleReply(engine, outcome, reply, { by, tx });
  if (lost !== undefined) lose(steps, lost);
}

/**
 * Runs something in a transaction of the store that does not outlast the attempt: at the attempt's end the store is told to
 * roll it back, even if `run` never ends. It leaves a connection for the calls that keep the leases, and waits if there is no
 * other. A transaction that the handler opens inside this one does not wait so: it would wait for this one.
 */
async function transact<T>(steps: Steps, run: (tx: unknown) => Promise<T>, holding?: Fence): Promise<T> {
  const { engine, life } = steps;
  checkLife(life);
  const ended = Promise.withResolvers<void>();
  const inside = (tx: unknown) => {
    steps.ended = ended.promise;
    return whileAlive(life, () => run(tx));
  };
  try {
    return await engine.keepOneFree(async () => {
      checkLife(life);
      return await runTransaction(engine, inside, holding);
    });
  } finally {
    ended.resolve();
  }
}
