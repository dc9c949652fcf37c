import type { BatchContext } from "./batch.ts";
import type { CompensatingContext } from "./compensation.ts";
import type { AttemptSignal, HandlerContext } from "./handler-context.ts";
import type { CheckpointContext, ProgressContext } from "./notes.ts";
import type { Job } from "./job.ts";

declare const added: unique symbol;

/** The names that the context of every handler has. */
export type ContextKey =
  | keyof HandlerContext<unknown, unknown, unknown, unknown>
  | keyof CompensatingContext<never>
  | keyof CheckpointContext<never, unknown>
  | keyof ProgressContext<never>
  | keyof BatchContext<unknown, unknown, unknown, unknown>;

/** What middleware may add to the context: anything but what handlers find there already. */
export interface Addition extends Taken {
  /* Every object has it. Without it the compiler would ask for one of the keys. */
  readonly valueOf: unknown;
}

type Taken = { readonly [Key in ContextKey]?: `the context has '${Key}' already; add it under another name` };

/**
 * Wraps every attempt of a `createProcessors` call, the first one outermost. The properties that it passes to `next` are in the context
 * of the handlers, typed. It returns the result of `next` and rethrows its errors.
 *
 * @example
 * const traced: Middleware<{ tracer: Logger }> = async (attempt, next) => {
 *   const tracer = logger.child({ jobId: attempt.job.id });
 *   try {
 *     return await next({ tracer });
 *   } catch (error) {
 *     tracer.warn(error);
 *     throw error;
 *   }
 * };
 */
export interface Middleware<out Added extends Addition = {}> {
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
  /** Throws in an attempt at a batch. */
  readonly job: Job<string, unknown, readonly unknown[]>;
  /** The jobs of a batch. Undefined: it is an attempt at one job. */
  readonly jobs?: readonly Job<string, unknown, readonly unknown[]>[] | undefined;
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
  <Added extends Addition>(added: Added): Promise<AttemptResult<Added>>;
}

/** The result of a handler of any job type; return it. */
export interface AttemptResult<out Added> {
  readonly [added]: Added;
}

/**
 * The properties that a list of middleware adds to the context. If it is one of several lists, what only some of them add may be
 * undefined.
 */
export type AddedBy<Layers> = AddedByOneOf<Layers, KeysAddedBy<Layers>>;

type AddedByOneOf<Layers, Keys> = Layers extends unknown ? Filled<AddedInTurn<Layers>, Keys> : never;

type KeysAddedBy<Layers> = Layers extends unknown ? KeysOf<AddedInTurn<Layers>> : never;

/** Layer by layer, because what one of them adds may be a union. Of a list without a fixed length any layer may be missing. */
type AddedInTurn<Layers> = Layers extends readonly []
  ? {}
  : Layers extends readonly [infer First, ...infer Rest]
    ? Over<AddedByLayer<First>, AddedInTurn<Rest>>
    : Layers extends readonly [...infer Rest, infer Last]
      ? Over<AddedInTurn<Rest>, AddedByLayer<Last>>
      : Layers extends readonly (infer Layer)[]
        ? Perhaps<AddedByLayer<Layer>>
        : never;

type AddedByLayer<Layer> = Layer extends (...args: never) => Promise<AttemptResult<infer Added>> ? Added : never;

/** The inner layer wins. */
type Over<Outer, Inner> = [KeysOf<Outer> & KeysOf<Inner>] extends [never] ? Outer & Inner : OverEach<Outer, Inner>;

type OverEach<Outer, Inner> = Inner extends unknown ? Without<Outer, keyof Inner> & Inner : never;

type Without<Outer, Keys extends PropertyKey> = Outer extends unknown ? Omit<Outer, Keys> : never;

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

type Filled<Added, Keys> = [Keys] extends [KeysOf<Added>]
  ? Added
  : Added & { readonly [Key in Exclude<Keys, KeysOf<Added>> & PropertyKey]?: undefined };

type Perhaps<Union> = [KeysOf<Union>] extends [never]
  ? {}
  : { readonly [Key in KeysOf<Union>]?: Union extends { readonly [Same in Key]?: infer Value } ? Value : never };
