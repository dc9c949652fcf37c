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
  /** How it ended: what its handler did, or the code of why it was told to stop. Undefined while it goes on. */
  ended: string | undefined;
  /** What is under way, and would otherwise outlast the attempt. */
  underWay: Set<UnderWay> | undefined;
}

interface UnderWay {
  readonly promise: Promise<unknown>;
  readonly reject: (reason: unknown) => void;
}

export function beginLife(job: ClaimedJob): AttemptLife {
  return { job, controller: undefined, stopReason: undefined, ended: undefined, underWay: undefined };
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

/** Ends the attempt from outside: its handler is told by its signal. */
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
 * Does something for as long as the attempt goes on: afterwards it is not begun, and what is under way is rejected at the end,
 * whether or not it ever ends by itself. Such a rejection is harmless where the handler does not wait for the result.
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

/** A rejection of it that no one waits for does not end the process. */
export function quieten(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

/** Made when it is asked for: an error takes longer than all else of an attempt, and most end without one. */
function overError({ job, stopReason: cause }: AttemptLife, reason: string): ChainwrightError {
  const { id: jobId, typeName, attempt } = job;
  const isStopped = cause?.code === reason;
  const how = isStopped ? `it was told to stop (${reason})` : `its handler has ${reason}`;
  return new ChainwrightError(
    "attempt-ended",
    `attempt ${attempt} of job ${jobId} ("${typeName}") has ended: ${how}. Nothing that it writes is kept; ` +
      "await prepare and complete before the handler ends.",
    { ...(isStopped && { cause }), details: { jobId, attempt, reason } },
  );
}
