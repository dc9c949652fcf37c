import { failed, isEnded } from "./batch-entry.ts";
import { leaveKey } from "./context-signal.ts";
import type { ErasedMiddleware } from "./processor.ts";

/** The context of a batch, as this adapter sees it. */
interface BatchScope {
  readonly jobs: readonly object[];
  readonly signal: AbortSignal;
  readonly [leaveKey]: (job: object, entry: unknown) => void;
}

interface Layer {
  readonly job: object;
  /** Whether it has called `next`. */
  readonly isInside: () => boolean;
  /** Resolves when it has called `next`, or has ended. */
  readonly entered: Promise<void>;
  readonly inner: PromiseWithResolvers<unknown>;
  readonly ended: Promise<unknown>;
}

/** Middleware that wraps each job of a batch, and single jobs as ever. */
export function eachJob(middleware: ErasedMiddleware): ErasedMiddleware {
  return async (attempt, next) => {
    if (!isBatch(attempt)) return await middleware(attempt, () => next());
    const { jobs, signal } = attempt;
    const layers = jobs.map((job) => begin(middleware, { job, signal }));
    for (const { entered } of layers) await entered;
    for (const layer of layers) if (!layer.isInside()) attempt[leaveKey](layer.job, await entryOf(layer));
    const inside = layers.filter(({ isInside }) => isInside());
    if (inside.length === 0) return [];
    try {
      const value = await next();
      inside.forEach(({ inner }, place) => passOn(inner, Array.isArray(value) ? (value as unknown[])[place] : value));
      if (Array.isArray(value)) return await Promise.all(inside.map(entryOf));
      // The jobs have ended in a transaction.
      await Promise.all(inside.map(({ ended }) => ended));
      return value;
    } catch (error) {
      for (const { inner } of inside) inner.reject(error);
      return await Promise.all(inside.map(entryOf));
    }
  };
}

function isBatch(attempt: object): attempt is BatchScope {
  return leaveKey in attempt;
}

function begin(middleware: ErasedMiddleware, attempt: { readonly job: object; readonly signal: AbortSignal }): Layer {
  const inner = Promise.withResolvers<unknown>();
  inner.promise.catch(() => undefined);
  const entered = Promise.withResolvers<void>();
  let isInside = false;
  const next = (): Promise<unknown> => {
    isInside = true;
    entered.resolve();
    return inner.promise;
  };
  const ended = (async () => await middleware(attempt, next))();
  ended.then(
    () => entered.resolve(),
    () => entered.resolve(),
  );
  return { job: attempt.job, isInside: () => isInside, entered: entered.promise, inner, ended };
}

function passOn(inner: PromiseWithResolvers<unknown>, entry: unknown): void {
  if (isEnded(entry)) inner.reject(entry.error);
  else inner.resolve(entry);
}

/** What the middleware returned is the result of the job; what it threw is its failure. */
function entryOf({ ended }: Layer): Promise<unknown> {
  return ended.catch((error: unknown) => failed(error));
}
