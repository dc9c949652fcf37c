import type { Fence, LostReason } from "../model/outcome.ts";
import type { ClaimedJob } from "../model/record.ts";
import type { Engine } from "../engine/engine.ts";
import { refusalError } from "../engine/refusal-error.ts";
import { retryConflicts } from "../engine/retry-conflicts.ts";
import { settledEvents } from "../engine/settle.ts";
import { openTransaction, runTransaction, type OpenTransaction } from "../engine/transaction.ts";
import { invalid } from "../engine/check-options.ts";
import { continueWith } from "../engine/continuation.ts";
import { handlerResultError } from "../engine/handler-result-error.ts";
import { completedResult, type CompletedResult } from "./handler-result.ts";
import { lostError } from "./lost-error.ts";
import { outcomeOf } from "../engine/outcome-of.ts";

/** The two steps in which a handler may write: `prepare`, then `complete`. */
export interface AttemptSteps {
  prepare(options: { readonly mode: "staged" | "atomic" }, callback?: PrepareCallback): Promise<unknown>;
  complete(callback: CompleteCallback): Promise<CompletedResult>;
  /** Whether `complete` has committed: nothing can be taken back any more. */
  isSettled(): boolean;
  /** Why the store refused to settle, once it has: the job is somebody else's. */
  lostReason(): LostReason | undefined;
  /** Whether an atomic transaction stands open. */
  isOpen(): boolean;
  /** Rolls back what the handler left open. */
  abandon(reason: unknown): Promise<void>;
}

type PrepareCallback = (scope: { readonly tx: unknown }) => unknown;
type CompleteCallback = (scope: { readonly tx: unknown; readonly continueWith: typeof continueWith }) => unknown;

export function createAttemptSteps(engine: Engine, job: ClaimedJob, fence: Fence): AttemptSteps {
  let open: OpenTransaction | undefined;
  let lost: LostReason | undefined;
  let phase: "begun" | "prepared" | "completing" | "settled" = "begun";

  const settleIn = async (tx: unknown, callback: CompleteCallback): Promise<void> => {
    const value = await callback({ tx, continueWith });
    const outcome = await outcomeOf(engine, { target: fence, typeName: job.typeName, priority: job.priority }, value);
    const [reply] = await engine.state.settle([outcome], engine.callOptions(tx));
    if (reply?.status === "refused") throw refusalError(reply.refusal);
    if (reply?.status !== "settled") {
      lost = reply?.reason ?? "lease-lost";
      throw lostError(lost, job);
    }
    engine.events.record(settledEvents(outcome, reply, engine.clock.now()), tx);
  };

  /** In the transaction that `prepare` opened, or in one of its own, which is run again when it loses a race. */
  const settle = async (callback: CompleteCallback): Promise<void> => {
    if (open === undefined) {
      await retryConflicts(engine.state, engine.clock, () => runTransaction(engine, (tx) => settleIn(tx, callback)));
      return;
    }
    const transaction = open;
    try {
      await settleIn(transaction.tx, callback);
    } catch (error) {
      open = undefined;
      await transaction.rollback(error);
      throw error;
    }
    open = undefined;
    await transaction.commit();
  };

  return {
    async prepare({ mode }, callback) {
      if (phase !== "begun")
        throw handlerResultError(job.typeName, "called prepare twice, or after complete; it comes once and first");
      if (mode !== "staged" && mode !== "atomic")
        throw invalid(`prepare takes { mode: "staged" } or { mode: "atomic" }, got ${String(mode)}.`);
      phase = "prepared";
      if (mode === "staged") return callback === undefined ? undefined : await stage(engine, callback);
      open = await openTransaction(engine);
      return await callback?.({ tx: open.tx });
    },
    async complete(callback) {
      if (phase === "completing" || phase === "settled")
        throw handlerResultError(job.typeName, "called complete twice; it ends the step");
      if (typeof callback !== "function")
        throw invalid("complete takes a callback that returns the output or a continuation.");
      phase = "completing";
      await settle(callback);
      phase = "settled";
      return completedResult;
    },
    isSettled: () => phase === "settled",
    lostReason: () => lost,
    isOpen: () => open !== undefined,
    async abandon(reason) {
      const transaction = open;
      open = undefined;
      await transaction?.rollback(reason);
    },
  };
}

function stage(engine: Engine, callback: PrepareCallback): Promise<unknown> {
  return retryConflicts(engine.state, engine.clock, () => runTransaction(engine, async (tx) => await callback({ tx })));
}
