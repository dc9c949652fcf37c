import { ChainwrightError } from "../model/error.ts";
import type { Reports } from "../model/note.ts";
import type { ClaimedJob } from "../model/record.ts";

/**
 * Whether an attempt is alive. It ends when its handler returns or throws, or when it is stopped, whichever comes first. After
 * that every call of its context is refused, and its open transaction is rolled back. A plain object with functions, because
 * every attempt needs one and few use it.
 */
export interface AttemptLife {
  readonly job: ClaimedJob;
  /** Created when the handler first reads its signal. */
  controller: AbortController | undefined;
  /** Why it was stopped; undefined: it was not. */
  stopReason: ChainwrightError | undefined;
  /** How it ended: `returned`, `threw`, or the code of the stop reason. Undefined while it is alive. */
  ended: string | undefined;
  /** Whether its `continueWith` was called, whose result the handler, or the callback of `complete`, must return. */
  hasContinued: boolean;
  /** The call of the handler that puts its job off. */
  rescheduledBy: "reschedule" | "holdKey" | undefined;
  /** What it has reported and is not written yet. Set with its first report. */
  reports: (() => Reports | undefined) | undefined;
  /** Calls under way, which would otherwise outlast the attempt. */
  underWay: Set<UnderWay> | undefined;
}

interface UnderWay {
  readonly promise: Promise<unknown>;
  readonly reject: (reason: unknown) => void;
}

export function beginLife(job: ClaimedJob): AttemptLife {
  return {
    job,
    controller: undefined,
    stopReason: undefined,
    ended: undefined,
    hasContinued: false,
    rescheduledBy: undefined,
    reports: undefined,
    underWay: undefined,
  };
}

export function signalOf(life: AttemptLife): AbortSignal {
  if (life.controller === undefined) {
    life.controller = new AbortController();
    if (life.stopReason !== undefined) life.controller.abort(life.stopReason);
  }
  return life.controller.signal;
}

/** Ends the attempt because its handler has ended. */
export function endLife(life: AttemptLife, how: "returned" | "threw"): void {
  finish(life, how);
}

/** Stops the attempt: aborts the signal of its handler. */
export function stopLife(life: AttemptLife, reason: ChainwrightError): void {
  if (life.stopReason !== undefined) return;
  life.stopReason = reason;
  finish(life, reason.code);
  life.controller?.abort(reason);
}

/** Throws once the attempt is over. */
export function checkLife(life: AttemptLife): void {
  if (life.ended !== undefined) throw overError(life, life.ended);
}

/**
 * Runs a call while the attempt is alive. After the end it does not begin. A call under way at the end is rejected, whether or not
 * it ever ends by itself; the rejection is harmless if the handler does not await the call.
 */
export function whileAlive<T>(life: AttemptLife, run: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  if (life.ended !== undefined) {
    quieten(promise);
    reject(overError(life, life.ended));
    return promise;
  }
  const underWay = (life.underWay ??= new Set());
  const own = { promise, reject };
  underWay.add(own);
  run().then(
    (value) => {
      underWay.delete(own);
      resolve(value);
    },
    (error: unknown) => {
      underWay.delete(own);
      reject(error);
    },
  );
  return promise;
}

function finish(life: AttemptLife, how: string): void {
  if (life.ended !== undefined) return;
  life.ended = how;
  if (life.underWay === undefined) return;
  for (const { promise, reject } of life.underWay) {
    quieten(promise);
    reject(overError(life, how));
  }
  life.underWay.clear();
}

/** Marks a promise as handled: a rejection that is not awaited must not end the process. */
export function quieten(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

/** Creates the error only when it is needed: that takes longer than the rest of an attempt, and most attempts need none. */
function overError({ job, stopReason: cause }: AttemptLife, reason: string): ChainwrightError {
  const { id: jobId, typeName, attempt } = job;
  const isStopped = cause?.code === reason;
  const how = isStopped ? `it was stopped (${reason})` : `its handler has ${reason}`;
  return new ChainwrightError(
    "attempt-ended",
    `attempt ${attempt} of job ${jobId} ("${typeName}") has ended: ${how}. Nothing that it writes is stored; ` +
      "await prepare and complete before the handler ends.",
    { ...(isStopped && { cause }), details: { jobId, attempt, reason } },
  );
}
