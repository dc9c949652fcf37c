import type { Joined } from "./job-types.ts";
import type { AttemptSignal } from "./handler-context.ts";
import type { Job } from "./job.ts";

declare const added: unique symbol;

/**
 * Wraps every attempt of a `createProcessors` call, the first one outermost. The properties that it passes to `next` are in the context
 * of the handlers, typed. It returns the result of `next` and rethrows its errors.
 *
 * @example
 * const traced: Middleware<{ log: Logger }> = async (attempt, next) => {
 *   const log = logger.child({ jobId: attempt.job.id });
 *   try {
 *     return await next({ log });
 *   } catch (error) {
 *     log.warn(error);
 *     throw error;
 *   }
 * };
 */
export interface Middleware<out Added extends object = {}> {
  (attempt: MiddlewareAttempt, next: NextMiddleware): Promise<AttemptResult<Added>>;
}

/**
 * The attempt as middleware sees it: of any job type.
 *
 * @example
 * const label = ({ job }: MiddlewareAttempt) => `${job.typeName}, attempt ${job.attempt}`;
 * const logged: Middleware = async (attempt, next) => {
 *   logger.info(label(attempt));
 *   return await next();
 * };
 */
export interface MiddlewareAttempt {
  readonly job: Job<string, unknown, readonly unknown[]>;
  readonly signal: AttemptSignal;
}

/**
 * Runs the rest: further middleware, then the handler. Its argument's properties are added to the handlers' context.
 *
 * @example
 * async function timed(attempt: MiddlewareAttempt, next: NextMiddleware) {
 *   const begunAt = performance.now();
 *   return await next().finally(() => logger.info(`${attempt.job.typeName}: ${performance.now() - begunAt} ms`));
 * }
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   middleware: [timed],
 *   processors: { "mail.send": async () => ({ sent: true }) },
 * });
 */
export interface NextMiddleware {
  (): Promise<AttemptResult<{}>>;
  <Added extends object>(added: Added): Promise<AttemptResult<Added>>;
}

/** The result of a handler of any job type; return it. */
export interface AttemptResult<out Added> {
  readonly [added]: Added;
}

/** The properties that several middleware functions add to the context. */
export type AddedBy<Layers extends readonly unknown[]> = Joined<AddedByOne<Layers[number]>>;

type AddedByOne<Layer> = Layer extends (...args: never) => Promise<AttemptResult<infer Added>> ? Added : never;
