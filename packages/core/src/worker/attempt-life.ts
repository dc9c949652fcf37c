import { deferred } from "../engine/deferred.ts";
import { ChainwrightError } from "../model/error.ts";
import type { ClaimedJob } from "../model/record.ts";

/**
 * Whether an attempt goes on. It is over when its handler has returned or thrown, or when it is told to stop, whichever comes
 * first. From then on every call of its context is refused, and what it has open is rolled back. A plain object and functions:
 * every attempt has one, and most never ask it for anything.
 */
export interface AttemptLife {
  readonly job: ClaimedJob;
  /** Made when a handler first asks for its signal. */
  controller: AbortController | undefined;
  /** Why it was told to stop, if it was. */
  stopReason: ChainwrightError | undefined;
  /** What refuses every call after the end; undefined while the attempt goes on. */
  over: ChainwrightError | undefined;
  /** What is under way, and would otherwise outlast the attempt. */
  readonly underWay: Set<UnderWay>;
}

interface UnderWay {
  readonly promise: Promise<unknown>;
  readonly reject: (reason: unknown) => void;
}

export function beginLife(job: ClaimedJob): AttemptLife {
  return { job, controller: undefined, stopReason: undefined, over: undefined, underWay: new Set() };
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
  finish(life, how, undefined);
}

/** Ends the attempt from outside: its handler is told by its signal. */
export function stopLife(life: AttemptLife, reason: ChainwrightError): void {
  if (life.stopReason !== undefined) return;
  life.stopReason = reason;
  finish(life, reason.code, reason);
  life.controller?.abort(reason);
}

/** Throws once the attempt is over. */
export function checkLife(life: AttemptLife): void {
  if (life.over !== undefined) throw life.over;
}

/**
 * Does something for as long as the attempt goes on: afterwards it is not begun, and what is under way is rejected at the end,
 * whether or not it ever ends by itself. Such a rejection is harmless where the handler does not wait for the result.
 */
export function whileAlive<T>(life: AttemptLife, run: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = deferred<T>();
  if (life.over !== undefined) {
    quieten(promise);
    reject(life.over);
    return promise;
  }
  const own = { promise, reject };
  life.underWay.add(own);
  const settled = (): void => void life.underWay.delete(own);
  run().then(resolve, reject).finally(settled);
  return promise;
}

function finish(life: AttemptLife, reason: string, cause: ChainwrightError | undefined): void {
  if (life.over !== undefined) return;
  life.over = endedError(life.job, reason, cause);
  for (const { promise, reject } of life.underWay) {
    quieten(promise);
    reject(life.over);
  }
  life.underWay.clear();
}

/** A rejection of it that no one waits for does not end the process. */
export function quieten(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

function endedError(job: ClaimedJob, reason: string, cause: ChainwrightError | undefined): ChainwrightError {
  const { id: jobId, typeName, attempt } = job;
  const how = cause === undefined ? `its handler has ${reason}` : `it was told to stop (${reason})`;
  return new ChainwrightError(
    "attempt-ended",
    `attempt ${attempt} of job ${jobId} ("${typeName}") has ended: ${how}. Nothing that it writes is kept; ` +
      "await prepare and complete before the handler ends.",
    { ...(cause !== undefined && { cause }), details: { jobId, attempt, reason } },
  );
}
