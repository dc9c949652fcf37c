import type { ChainwrightError } from "../model/error.ts";
import { runInContexts, runStep } from "../engine/contexts.ts";
import type { Engine } from "../engine/engine.ts";
import { checkSchedule, invalid } from "../checks/check-options.ts";
import { mistakeReporter, type Attempt, type AttemptResult } from "./attempt.ts";
import type { ClaimedJob } from "../model/record.ts";
import { beginLife, checkLife, endLife, quieten, stopLife, whileAlive, type AttemptLife } from "./attempt-life.ts";
import { completeBatch, type BatchCallback, type BatchCompletion, type Member } from "./batch-complete.ts";
import { checkEntries, failed, failedResult, readEntry, rescheduleOf } from "./batch-entry.ts";
import { callHandler } from "./call-handler.ts";
import { leaveKey, lifeKey, signalProperty } from "./context-signal.ts";
import { isUnreadable } from "./failure-outcome.ts";
import { mistakeOfReturn, mistakeOfThrow } from "./handler-mistake.ts";
import { continuing, refuseLostContinuations, Reschedule } from "./handler-result.ts";
import type { Held } from "./held.ts";
import { shownJob } from "./shown-job.ts";
import { unreadableEvent } from "./unreadable-event.ts";

/** One run of a handler over several claimed jobs. */
interface Batch {
  /** One for each job, in their order. */
  readonly attempts: readonly Attempt[];
  /** Never rejects. Returns a result for each job. */
  run(): Promise<readonly AttemptResult[]>;
}

interface Running extends BatchCompletion {
  readonly members: Member[];
  /** The jobs that the handler does not get, with the results that middleware gave them. */
  readonly left: Map<Member, unknown>;
  readonly workerId: string;
  readonly startedAt: number;
  /** The jobs that the call gets. */
  readonly batch: readonly ClaimedJob[];
  completion: Promise<unknown> | undefined;
}

type OneOf = Pick<Held, "job" | "processor" | "read">;

/** @param held jobs of one type, one at least */
export function createBatch(engine: Engine, held: readonly OneOf[], workerId: string): Batch {
  const [first] = held;
  if (first === undefined) throw new TypeError("a batch must have a job.");
  const readable = held.filter(({ read }) => read?.seen !== undefined);
  const running: Running = {
    engine,
    workerId,
    startedAt: engine.clock.now(),
    batch: readable.map(({ job }) => job),
    life: beginLife(first.job),
    members: [],
    left: new Map(),
    phase: "begun",
    inside: new Set(),
    ended: undefined,
    completion: undefined,
  };
  const all = held.map((each) => createMember(running, each));
  // They are spliced when middleware keeps jobs to itself.
  running.members.push(...all.filter(({ result }) => result === undefined));
  return {
    attempts: all,
    async run() {
      await runHandler(running, first.processor);
      for (const [member, entry] of running.left) member.result = await resultOf(engine, member, entry);
      return all.map(({ result }) => result ?? nothing);
    },
  };
}

const nothing: AttemptResult = { outcome: undefined, error: undefined };

/** A job that its handler cannot get has its result at once. */
function createMember(running: Running, { job, processor, read }: OneOf): Member {
  const { engine, workerId, startedAt, batch } = running;
  const member: Member = {
    job,
    processor,
    fence: { jobId: job.id, workerId, fence: job.fence },
    startedAt,
    batch,
    shown: read?.seen === undefined ? {} : shownJob(job, read.seen),
    reportMistake: mistakeReporter(engine, job, workerId),
    isCompleting: () => running.inside.has(member) || member.ended !== undefined,
    abort: (reason) => abort(running, member, reason),
    stopReason: undefined,
    ended: undefined,
    result: undefined,
  };
  if (read?.seen === undefined) member.result = unreadResult(engine, member, read?.error);
  return member;
}

/** The job is no longer part of the batch. The signal aborts when this was the last one. */
function abort({ life, members }: Running, member: Member, reason: ChainwrightError): void {
  member.stopReason ??= reason;
  if (members.every(({ stopReason }) => stopReason !== undefined)) stopLife(life, reason);
}

function unreadResult(engine: Engine, member: Member, error: unknown): AttemptResult {
  if (isUnreadable(error)) engine.events.record([unreadableEvent(member, error)], undefined);
  return failedResult(engine, member, error);
}

/** Gives each member its result. */
async function runHandler(running: Running, processor: OneOf["processor"]): Promise<void> {
  const { engine, life, members, workerId } = running;
  const [first] = members;
  if (first === undefined) return;
  const perform = async () => {
    const value = await callHandler(processor, createContext(running), life);
    return await returned(running, value);
  };
  try {
    if (engine.contexts.length === 0) return await perform();
    const batch = members.map(({ job }) => job);
    return await runInContexts(engine.contexts, first.job, { workerId, batch }, perform);
  } catch (error) {
    return await threw(running, error);
  }
}

async function returned(running: Running, value: unknown): Promise<void> {
  const { engine, life, members, completion } = running;
  // One that the handler did not await.
  if (completion !== undefined) await completion;
  endLife(life, "returned");
  if (running.ended !== undefined) await running.ended;
  const ended = running.phase === "settled" ? "settled" : "unsettled";
  if (ended === "settled") {
    reportOnce(running, mistakeOfReturn(life, ended, value));
    for (const member of members) member.result = member.ended;
    return;
  }
  const entries = checkEntries(value, members.length, life.job.typeName);
  refuseLostContinuations(life, entries);
  let index = 0;
  for (const member of members) {
    const result = resultOf(engine, member, entries[index]);
    // An await for each job would take longer than the rest of its end.
    member.result = result instanceof Promise ? await result : result;
    index += 1;
  }
  reportOnce(running, mistakeOfReturn(life, ended, value));
}

async function threw(running: Running, error: unknown): Promise<void> {
  const { engine, life, members, completion } = running;
  if (completion !== undefined) await completion.catch(() => undefined);
  endLife(life, "threw");
  if (running.ended !== undefined) await running.ended;
  const isSettled = running.phase === "settled";
  if (life.stopReason === undefined)
    reportOnce(running, mistakeOfThrow(life, isSettled ? "settled" : "unsettled", error));
  for (const member of members) member.result = isSettled ? member.ended : thrownResult(engine, member, error);
}

function thrownResult(engine: Engine, member: Member, error: unknown): AttemptResult {
  if (member.ended !== undefined) return member.ended;
  // Its outcome was handed in when its time was over.
  if (member.stopReason?.code === "timeout") return { outcome: undefined, error };
  return failedResult(engine, member, error);
}

/** What one job cannot store fails that job alone. */
function resultOf(engine: Engine, member: Member, entry: unknown): AttemptResult | Promise<AttemptResult> {
  try {
    const result = readEntry(engine, member, entry);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => failedResult(engine, member, error));
  } catch (error) {
    return failedResult(engine, member, error);
  }
}

/** A mistake of the handler is one of its batch: it is reported for the first job. */
function reportOnce({ members }: Running, mistake: ChainwrightError | undefined): void {
  if (mistake !== undefined) members[0]?.reportMistake(mistake);
}

function createContext(running: Running): object {
  const { engine, life, members } = running;
  const context = {
    [lifeKey]: life,
    [leaveKey]: (shown: object, entry: unknown): void => {
      const at = members.findIndex((member) => member.shown === shown);
      for (const member of at < 0 ? [] : members.splice(at, 1)) running.left.set(member, entry);
      context.jobs = members.map((member) => member.shown);
    },
    jobs: members.map((member) => member.shown),
    failed,
    continueWith: continuing(life),
    complete(callback: BatchCallback) {
      const completion = whileAlive(life, () =>
        runStep(engine.contexts, "complete", () => completeBatch(running, callback)),
      );
      running.completion ??= completion;
      quieten(completion);
      return completion;
    },
    reschedule: Object.assign(
      (schedule: object): never => {
        throw rescheduled(life, schedule);
      },
      { of: rescheduleOf },
    ),
  };
  Object.defineProperty(context, "job", jobProperty);
  return Object.defineProperty(context, "signal", signalProperty);
}

function rescheduled(life: AttemptLife, schedule: object): Reschedule {
  checkLife(life);
  const reschedule = new Reschedule(checkSchedule(schedule, "reschedule"));
  life.rescheduledBy = "reschedule";
  return reschedule;
}

/** For middleware that was written for one job. */
const jobProperty = {
  get() {
    throw invalid("a batch has several jobs: read attempt.jobs, or wrap middleware for one job with forEachJob.");
  },
};
