import type { ClaimedJob } from "../model/record.ts";
import type { ReceivedSignal } from "../model/signal.ts";
import type {
  AttemptStep,
  ContextObserver,
  ObservedAttempt,
  ObservedBatchJob,
  ObservedBlocker,
  ObservedLine,
  ObservedSignal,
  Observer,
  PreparedJob,
} from "../ports/observer.ts";

/** The observers that carry a context from a start to its attempts. */
export type Contexts = readonly ContextObserver[];

export function contextsOf(observers: readonly Observer[]): Contexts {
  return observers.filter(isContextObserver);
}

function isContextObserver(observer: Observer): observer is Observer & ContextObserver {
  return observer.capture !== undefined && observer.run !== undefined;
}

/** The contexts that observers capture for the attempts of a job, as one text: a JSON array with a text or null for each. */
export function captureContext(contexts: Contexts, jobOf: () => PreparedJob): string | undefined {
  if (contexts.length === 0) return undefined;
  const job = jobOf();
  const texts = contexts.map((observer) => captureOne(observer, job));
  return texts.some((text) => text !== null) ? JSON.stringify(texts) : undefined;
}

function captureOne(observer: ContextObserver, job: PreparedJob): string | null {
  try {
    const text: unknown = observer.capture(job);
    return typeof text === "string" ? text : null;
  } catch {
    // Observers must not affect the engine.
    return null;
  }
}

/** Runs an attempt inside the contexts that were captured at the job's start. */
export function runInContexts<T>(
  contexts: Contexts,
  job: ClaimedJob,
  { workerId, batch }: { readonly workerId: string; readonly batch?: readonly ClaimedJob[] | undefined },
  body: () => Promise<T>,
): Promise<T> {
  const texts = textsOf(job.context);
  const { id: jobId, chainId, typeName } = job;
  let wrapped = body;
  contexts.forEach((observer, index) => {
    const inner = wrapped;
    const observed: ObservedAttempt = {
      jobId,
      chainId,
      typeName,
      attempt: job.attempt,
      workerId,
      context: textAt(texts, index),
      blockers: job.blockers.length === 0 ? noBlockers : blockersFor(job, index),
      ...(job.received !== undefined && { signals: signalsFor(job.received, index) }),
      ...(batch !== undefined && { batch: batch.map((each) => observedJob(each, index)) }),
    };
    wrapped = () => inside((entered) => observer.run(observed, entered), inner);
  });
  return wrapped();
}

const noBlockers: readonly ObservedBlocker[] = [];

function blockersFor(job: ClaimedJob, index: number): readonly ObservedBlocker[] {
  return job.blockers.map(({ chainId, typeName, context }) => ({
    chainId,
    typeName,
    context: textAt(textsOf(context), index),
  }));
}

function observedJob({ id: jobId, chainId, attempt, context }: ClaimedJob, index: number): ObservedBatchJob {
  return { jobId, chainId, attempt, context: textAt(textsOf(context), index) };
}

function signalsFor(received: readonly ReceivedSignal[], index: number): readonly ObservedSignal[] {
  return received.map(({ signal, context }) => ({ signal, context: textAt(textsOf(context), index) }));
}

/** Runs a step of an attempt inside the contexts of the observers. */
export function runStep<T>(contexts: Contexts, name: AttemptStep, body: () => Promise<T>): Promise<T> {
  let wrapped = body;
  for (const observer of contexts) {
    const inner = wrapped;
    if (observer.step !== undefined) wrapped = () => inside((entered) => observer.step?.(name, entered), inner);
  }
  return wrapped();
}

/** Tells the observers of a line that a handler logs. */
export function observeLine(contexts: Contexts, line: ObservedLine): void {
  for (const observer of contexts) {
    try {
      observer.log?.(line);
    } catch {
      // Observers must not affect the engine.
    }
  }
}

/**
 * Calls an observer with the body. Even if the observer throws, rejects, hangs, or calls the body twice or not at all, the body
 * begins now, runs once, and its own result is returned.
 */
function inside<T>(enter: (body: () => Promise<T>) => unknown, body: () => Promise<T>): Promise<T> {
  let running: Promise<T> | undefined;
  const once = (): Promise<T> => (running ??= body());
  try {
    const entered = enter(once);
    if (entered instanceof Promise && entered !== running) entered.catch(() => undefined);
  } catch {
    // Observers must not affect the engine.
  }
  return once();
}

function textsOf(stored: string | undefined): readonly unknown[] {
  if (stored === undefined) return [];
  try {
    const texts: unknown = JSON.parse(stored);
    return Array.isArray(texts) ? texts : [];
  } catch {
    return [];
  }
}

function textAt(texts: readonly unknown[], index: number): string | undefined {
  const text = texts[index];
  return typeof text === "string" ? text : undefined;
}
