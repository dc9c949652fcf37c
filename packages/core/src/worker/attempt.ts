import type { ChainwrightError } from "../model/error.ts";
import type { Fence, LostReason, Outcome } from "../model/outcome.ts";
import type { Reports } from "../model/note.ts";
import type { ClaimedJob } from "../model/record.ts";
import { describeError } from "../checks/describe-error.ts";
import { checkSchedule } from "../checks/check-options.ts";
import { runInContexts } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { beginLife, checkLife, stopLife, type AttemptLife } from "./attempt-life.ts";
import { createAttemptSteps, type AttemptSteps } from "./attempt-steps.ts";
import { callHandler } from "./call-handler.ts";
import { lifeKey, signalProperty } from "./context-signal.ts";
import { failureOutcome, isReschedule, isUnreadable } from "./failure-outcome.ts";
import { mistakeOfReturn, mistakeOfThrow } from "./handler-mistake.ts";
import { continuing, refuseLostContinuation, Reschedule } from "./handler-result.ts";
import type { LimitKey } from "../model/limit.ts";
import { checkHold, HoldKey, pauseHeldKey } from "./hold-key.ts";
import type { HoldKeyOptions } from "../types/handler-context.ts";
import { outcomeOf, stepOf } from "../operations/outcome-of.ts";
import { createAttemptNotes, type AttemptNotes } from "./notes/attempt-notes.ts";
import type { Noting } from "./notes/noting-attempt.ts";
import { readJob, type Seen } from "./read-job.ts";
import type { LeasedJob } from "./sent-outcome.ts";
import { shownJob } from "./shown-job.ts";
import { unreadableEvent } from "./unreadable-event.ts";
import type { Processor } from "./processor.ts";

/** One run of a handler over one claimed job. */
export interface Attempt {
  readonly job: ClaimedJob;
  readonly processor: Processor;
  readonly fence: Fence;
  /** Milliseconds since 1970, by the worker's clock. */
  readonly startedAt: number;
  /** Whether the attempt is settling itself: that may be why its lease is gone. */
  isCompleting(): boolean;
  /** Records a mistake of the handler, or of its `retry.when`, that does not change the outcome. */
  readonly reportMistake: (mistake: ChainwrightError) => void;
  /** Stops it: aborts the signal of the handler, and rolls back its open transaction. */
  abort(reason: ChainwrightError): void;
  /** What it has reported and is not written yet; undefined: nothing. Left out: it reports nothing. */
  reports?(): Reports | undefined;
  /** The jobs that the call of the handler got, in their order. Undefined: it gets one job at a time. */
  readonly batch?: readonly ClaimedJob[] | undefined;
}

/** An attempt with a call of the handler of its own. */
interface LoneAttempt extends Attempt {
  /** Never rejects. */
  run(): Promise<AttemptResult>;
}

/** The worker of an attempt. */
export interface AttemptWorker {
  readonly workerId: string;
  readonly noting: Noting;
}

/** The outcome to hand in; undefined: the attempt settled itself or lost its job. */
export interface AttemptResult {
  readonly outcome: Outcome | undefined;
  readonly error: unknown;
  /** Set if the store refused what the attempt wrote. */
  readonly lost?: LostReason | undefined;
  /** Keys that may be closed now, because of how it ended. */
  readonly closedKeys?: readonly LimitKey[] | undefined;
}

export function createAttempt(
  engine: Engine,
  job: ClaimedJob,
  processor: Processor,
  { workerId, noting }: AttemptWorker,
): LoneAttempt {
  const fence: Fence = { jobId: job.id, workerId, fence: job.fence };
  const life = beginLife(job);
  const startedAt = engine.clock.now();

  const steps = createAttemptSteps(engine, job, fence, life);
  const reportMistake = mistakeReporter(engine, job, workerId);
  const notes = made(life, () => createAttemptNotes({ engine, job, fence, life, steps, noting, reportMistake }));

  const perform = async (context: object): Promise<AttemptResult> => {
    const value = await callHandler(processor, context, life);
    const ended = await steps.finish("returned", value);
    if (ended === "lost") return { outcome: undefined, error: undefined, lost: steps.lostReason() };
    // It has ended at a checkpoint, whatever it made of that.
    if (life.stopReason?.code === "worker-stopping") throw life.stopReason;
    if (ended === "unsettled") refuseLostContinuation(life, value);
    const outcome = ended === "settled" ? undefined : await outcomeOf(engine, { ...stepOf(job), target: fence }, value);
    const error = steps.mistake() ?? mistakeOfReturn(life, ended, value);
    if (error !== undefined) reportMistake(error);
    return { outcome, error: ended === "settled" ? error : undefined };
  };
  const run = async (): Promise<AttemptResult> => {
    try {
      const read = readJob(engine, job);
      const seen = read instanceof Promise ? await read : read;
      // A schema that validates asynchronously takes time, in which the attempt may have been stopped.
      checkLife(life);
      const context = createContext(engine, { life, steps, notes }, seen);
      if (engine.contexts.length === 0) return await perform(context);
      return await runInContexts(engine.contexts, job, { workerId }, () => perform(context));
    } catch (error) {
      return await failedResult(engine, { job, fence, life, steps, processor, reportMistake }, error);
    }
  };

  return {
    job,
    processor,
    fence,
    startedAt,
    isCompleting: steps.isCompleting,
    reportMistake,
    abort: (reason) => stopLife(life, reason),
    reports: () => life.reports?.(),
    run,
  };
}

/** The notes of an attempt, made at the first one: few attempts note something. */
function made(life: AttemptLife, make: () => AttemptNotes): () => AttemptNotes {
  let notes: AttemptNotes | undefined;
  return () => {
    notes ??= make();
    life.reports = notes.rest;
    return notes;
  };
}

interface Failing extends Pick<Attempt, "job" | "fence" | "processor" | "reportMistake"> {
  readonly life: AttemptLife;
  readonly steps: AttemptSteps;
}

/** The result of an attempt that threw, or was stopped. */
async function failedResult(engine: Engine, failing: Failing, error: unknown): Promise<AttemptResult> {
  const { job, fence, life, steps, processor, reportMistake } = failing;
  const ended = await steps.finish("threw");
  const mistake = life.stopReason === undefined ? mistakeOfThrow(life, ended, error) : undefined;
  if (mistake !== undefined) reportMistake(mistake);
  if (ended !== "unsettled") return { outcome: undefined, error, lost: steps.lostReason() };
  // An error that throws when it is looked at is none of them.
  const hold = isReschedule(error) && error instanceof HoldKey ? error : undefined;
  const closedKeys = hold && [hold.held];
  if (hold !== undefined) await pauseHeldKey(engine, fence.workerId, hold);
  const { stopReason } = life;
  const failed = { job, fence, processor, stopReason, reportMistake };
  // Its outcome was handed in when its time was over.
  const outcome = stopReason?.code === "timeout" ? undefined : failureOutcome(engine.clock, failed, error);
  if (stopReason === undefined && isUnreadable(error))
    engine.events.record([unreadableEvent(failed, error)], undefined);
  // A reschedule is not a failure.
  return { outcome, error: isReschedule(error) ? undefined : error, closedKeys };
}

export function mistakeReporter(
  engine: Pick<Engine, "events">,
  job: LeasedJob,
  workerId: string,
): Attempt["reportMistake"] {
  return (mistake) => {
    const { id: jobId, chainId, typeName, attempt } = job;
    const named = { jobId, chainId, typeName, workerId, attempt, error: describeError(mistake) };
    engine.events.record([{ type: "handler-mistake", ...named }], undefined);
  };
}

const notesKey = Symbol("chainwright.notes");

const logProperty = {
  enumerable: true,
  configurable: true,
  get(this: { readonly [notesKey]: () => AttemptNotes }) {
    return this[notesKey]().log;
  },
};

const contextProperties = { signal: signalProperty, log: logProperty };

function createContext(engine: Engine, { life, steps, notes }: Parts, seen: Seen): object {
  const { job } = life;
  const context = {
    [lifeKey]: life,
    [notesKey]: notes,
    job: shownJob(job, seen),
    prepare: steps.prepare,
    complete: steps.complete,
    continueWith: continuing(life),
    compensateWith: steps.compensateWith,
    once: (...args: Parameters<AttemptNotes["once"]>) => notes().once(...args),
    saveCheckpoint: (value: unknown) => notes().saveCheckpoint(value),
    progress: (value: unknown) => notes().progress(value),
    reschedule(schedule: object): never {
      checkLife(life);
      const reschedule = new Reschedule(checkSchedule(schedule, "reschedule"));
      life.rescheduledBy = "reschedule";
      throw reschedule;
    },
    holdKey(options: HoldKeyOptions): never {
      checkLife(life);
      const hold = checkHold(engine, job, options);
      life.rescheduledBy = "holdKey";
      throw hold;
    },
  };
  return Object.defineProperties(context, contextProperties);
}

/** What the calls of a context need. */
interface Parts {
  readonly life: AttemptLife;
  readonly steps: AttemptSteps;
  /** Made at the first note. */
  readonly notes: () => AttemptNotes;
}
