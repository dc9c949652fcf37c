import type { ChainwrightError } from "../model/error.ts";
import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import { runStep } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { acceptSettleReply } from "../operations/settle.ts";
import { openTransaction, type OpenTransaction } from "../operations/transaction.ts";
import { invalid, show } from "../checks/check-options.ts";
import type { continueWith } from "../operations/continuation.ts";
import { handlerResultError } from "../checks/handler-result-error.ts";
import {
  completedResult,
  continuing,
  isResultOfComplete,
  refuseLostContinuation,
  type CompletedResult,
} from "./handler-result.ts";
import { checkLife, endLife, quieten, stopLife, whileAlive, type AttemptLife } from "./attempt-life.ts";
import { transact, type Transacting } from "./attempt-transaction.ts";
import type { CompensationItem } from "../operations/prepare-follow-ups.ts";
import { assertMayNote } from "./notes/may-note.ts";
import { recordCompensation } from "./compensate-with.ts";
import { lostError, lostReasonOf } from "../model/lost-error.ts";
import { outcomeOf, stepOf } from "../operations/outcome-of.ts";

/** The two steps in which a handler may write: `prepare`, then `complete`. */
export interface AttemptSteps {
  prepare(options: { readonly mode: "staged" | "atomic" }, callback?: PrepareCallback): Promise<unknown>;
  complete(callback: CompleteCallback): Promise<CompletedResult>;
  /** Records what undoes the step; durable when it resolves. */
  compensateWith(item: CompensationItem): Promise<void>;
  /** Runs the callback in a transaction of its own, which commits only if the job is still this attempt's. */
  inTransaction<T>(run: (tx: unknown) => Promise<T>): Promise<T>;
  /** Ends the attempt because the store reported that the job is no longer its own. */
  lose(reason: LostReason): never;
  /** Refuses a call that writes by itself, or in a transaction of its own, where another transaction of the attempt is open. */
  assertMayNote(what: string): void;
  /**
   * Called when the handler has ended: waits for a `complete` that the handler did not await, then ends the attempt, and waits
   * until its open transaction is rolled back. Rejects if the handler returned without ending its steps. If it returned a value
   * while its `complete` still ran, that `complete` writes nothing.
   */
  finish(how: "returned" | "threw", value?: unknown): Promise<"settled" | "lost" | "unsettled">;
  /** A call of the handler that was refused although its attempt has succeeded; undefined: there was none. */
  mistake(): ChainwrightError | undefined;
  /** Why the store rolled back what the attempt wrote; undefined: the job is still its own. */
  lostReason(): LostReason | undefined;
  /** Whether the attempt is settling itself, or has settled itself. */
  isCompleting(): boolean;
}

type PrepareCallback = (scope: { readonly tx: unknown }) => unknown;
type CompleteCallback = (scope: { readonly tx: unknown; readonly continueWith: typeof continueWith }) => unknown;

interface Steps extends Transacting {
  readonly job: ClaimedJob;
  readonly fence: Fence;
  phase: "begun" | "preparing" | "prepared" | "completing" | "settled" | "failed";
  /** The transaction of an atomic `prepare`, until `complete` ends it. */
  open: OpenTransaction | undefined;
  lost: LostReason | undefined;
  completion: Promise<void> | undefined;
  mistake: ChainwrightError | undefined;
  /** Why `complete` must not settle the job. */
  refusal: ChainwrightError | undefined;
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
    mistake: undefined,
    refusal: undefined,
  };
  return {
    prepare({ mode }, callback) {
      const prepared = whileAlive(life, () =>
        runStep(engine.contexts, "prepare", () => prepare(steps, mode, callback)),
      );
      // If the handler does not await it, its failure must not end the process.
      quieten(prepared);
      return prepared;
    },
    complete(callback) {
      const completion = whileAlive(life, () => runStep(engine.contexts, "complete", () => complete(steps, callback)));
      // If the handler does not await it, its failure becomes the failure of the attempt.
      quieten(completion);
      return completion;
    },
    compensateWith(item) {
      const recorded = whileAlive(life, () => compensate(steps, item));
      quieten(recorded);
      return recorded;
    },
    inTransaction: (run) => inTransaction(steps, run),
    lose: (reason) => lose(steps, reason),
    assertMayNote: (what) => assertMayNote(steps, what),
    finish: (how, value) => finish(steps, how, value),
    mistake: () => steps.mistake,
    lostReason: () => steps.lost,
    isCompleting: () => steps.phase === "completing" || steps.phase === "settled",
  };
}

async function finish(
  steps: Steps,
  how: "returned" | "threw",
  value: unknown,
): Promise<"settled" | "lost" | "unsettled"> {
  const { phase, completion, job, life } = steps;
  if (phase === "completing" && !isResultOfComplete(value)) {
    steps.refusal = handlerResultError(
      job.typeName,
      "returned a value while its complete still ran, which was rolled back; return what complete returns",
    );
  }
  // Most attempts have neither of both: awaiting nothing would still take time.
  if (completion !== undefined) await completion.catch(() => undefined);
  endLife(life, how);
  if (steps.ended !== undefined) await steps.ended;
  if (steps.phase === "settled") return "settled";
  if (steps.lost !== undefined) return "lost";
  if (how === "threw") return "unsettled";
  // The handler did not await its own complete, which has failed.
  if (phase === "completing") await completion;
  if (phase === "preparing") {
    throw handlerResultError(job.typeName, "ended before its prepare, which was rolled back; await prepare");
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
    throw handlerResultError(
      steps.job.typeName,
      "called prepare twice, or after complete; call it once, before complete",
    );
  }
  if (mode !== "staged" && mode !== "atomic") {
    throw invalid(`prepare's mode must be "staged" or "atomic"; got ${show(mode)}.`);
  }
  steps.phase = "preparing";
  try {
    if (mode === "staged")
      return callback === undefined ? undefined : await inTransaction(steps, async (tx) => callback({ tx }));
    steps.open = await openTransaction((run) => transact(steps, run));
    return await callback?.({ tx: steps.open.tx });
  } catch (error) {
    steps.mistake ??= handlerResultError(
      steps.job.typeName,
      "returned a result although its prepare had failed; the result is kept. Await prepare, and let its error end the attempt",
      { cause: error },
    );
    throw error;
  } finally {
    steps.phase = "prepared";
  }
}

/** Runs the callback in a transaction of its own, which commits only if the job is still this attempt's. */
async function inTransaction<T>(steps: Steps, callback: (tx: unknown) => Promise<T>): Promise<T> {
  const { engine, fence } = steps;
  let isDone = false;
  const run = async (tx: unknown): Promise<T> => {
    isDone = false;
    const value = await callback(tx);
    isDone = true;
    return value;
  };
  try {
    return await retryConflicts(engine.state, engine.clock, () => transact(steps, run, fence));
  } catch (error) {
    // While the callback runs, an error of the same code is an error of the callback.
    const reason = isDone ? lostReasonOf(error) : undefined;
    if (reason === undefined) throw error;
    return lose(steps, reason);
  }
}

async function compensate(steps: Steps, item: CompensationItem): Promise<void> {
  const lost = await recordCompensation(steps, item);
  if (lost !== undefined) lose(steps, lost);
}

/** Ends the attempt because the store reported that the job is no longer its own. */
function lose(steps: Steps, reason: LostReason): never {
  const error = lostError(reason, steps.job);
  steps.lost = reason;
  stopLife(steps.life, error);
  checkLife(steps.life);
  throw error;
}

async function complete(steps: Steps, callback: CompleteCallback): Promise<CompletedResult> {
  const { job } = steps;
  if (steps.phase === "completing" || steps.phase === "settled") {
    steps.mistake ??= handlerResultError(
      job.typeName,
      "called complete twice; the first one counts, and the callback of the second one was not called. Call complete once",
    );
    throw steps.mistake;
  }
  if (steps.phase !== "begun" && steps.phase !== "prepared") {
    throw handlerResultError(
      job.typeName,
      "called complete after it had failed, or before prepare had ended; call it once, after prepare",
    );
  }
  if (typeof callback !== "function") {
    throw invalid(`complete must get a callback that returns the output or a continuation; got ${show(callback)}.`);
  }
  steps.phase = "completing";
  // The attempt awaits it even if the handler does not.
  steps.completion = settle(steps, callback);
  await steps.completion;
  return completedResult;
}

async function settle(steps: Steps, callback: CompleteCallback): Promise<void> {
  const { life } = steps;
  const hadContinued = life.hasContinued;
  // If the transaction is retried, only the continuation of the last run counts.
  const run: CompleteCallback = (scope) => {
    life.hasContinued = hadContinued;
    return callback(scope);
  };
  try {
    await (steps.open === undefined ? settleInOwn(steps, run) : settleInOpen(steps, steps.open, run));
    steps.phase = "settled";
    life.hasContinued = false;
  } finally {
    if (steps.phase !== "settled") steps.phase = "failed";
  }
}

/** Settles in a transaction of its own, which is retried if it loses a race: the callback may be called more than once. */
function settleInOwn(steps: Steps, callback: CompleteCallback): Promise<void> {
  const { state, clock } = steps.engine;
  return retryConflicts(state, clock, () => transact(steps, (tx) => settleIn(steps, tx, callback)));
}

/** Settles in the transaction that `prepare` opened. */
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

/** Runs the user's writes, then settles under the attempt's fence. If the store refuses the outcome, the user's writes roll back. */
async function settleIn(steps: Steps, tx: unknown, callback: CompleteCallback): Promise<void> {
  const { engine, fence, job, life } = steps;
  const value = await callback({ tx, continueWith: continuing(life) });
  refuseLostContinuation(life, value);
  const settling = await outcomeOf(engine, { ...stepOf(job), target: fence }, value);
  const reports = life.reports?.();
  const outcome = reports === undefined ? settling : { ...settling, reports };
  checkLife(life);
  if (steps.refusal !== undefined) throw steps.refusal;
  const replies = await engine.state.settle([outcome], engine.callOptions(tx));
  const by = { workerId: fence.workerId, attempt: job.attempt };
  const lost = acceptSettleReply(engine, outcome, replies, { by, tx });
  if (lost !== undefined) lose(steps, lost);
}
