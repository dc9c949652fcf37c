import type { BatchOptions } from "./batch.ts";
import type { RetryOptions } from "./retry.ts";
import type { Completed, Continuation } from "./step-result.ts";
import type { StepTypes } from "./step-types.ts";

/** A function that does the work of one job type. Its errors are retried, except `FatalError`. */
export interface Handler<in out Step extends StepTypes<unknown, unknown>, in out Added> {
  (
    context: Step["context"] & Added,
  ): Promise<Step["output"] | Continuation | Completed | KeepLiterals | (Nothing & NoInfer<Added>)>;
}

/*
 * Both are optional here, and `Handling` asks for one of them: a union of two definitions would be instantiated and compared for each
 * type of a slice, while the compiler looks at a property only if it is given.
 */
/** A handler with options: `handler` for one job, or `batch` for many. */
export interface ProcessorDefinition<in out Step extends StepTypes<unknown, unknown>, in out Added> {
  readonly handler?: Handler<Step, Added>;
  /** How the jobs of the type are handled together: one call of the handler in it for many of them. */
  readonly batch?: BatchOptions<Step, Added>;
  /** How often and when a failed attempt is retried. Default: that of `createProcessors`. */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long an attempt may take before its signal aborts with `timeout`; `Infinity`: no limit. Default: that of `createProcessors`.
   * The attempt ends then, also if its handler does not: its retry, or what undoes its chain, may begin beside it.
   */
  readonly timeoutMs?: number | undefined;
  /** How long a claimed job stays leased without a renewal. Default: that of `createProcessors`. */
  readonly leaseMs?: number | undefined;
}

/** What each processor must be, whatever its handler takes and returns. */
export type Handling =
  | ((...args: never) => unknown)
  | { readonly handler: object; readonly batch?: undefined }
  | { readonly batch: object; readonly handler?: undefined };

declare const never: unique symbol;

/* Callable, so that editors do not offer its members. */
export interface Nothing {
  (): never;
  readonly [never]: never;
}

/*
 * When the compiler reads what a handler returns, it does not know the output yet, and would widen "paid" to `string` and 200 to
 * `number`. As the expected result, these types, which no value fits, prevent that. `Added` is a `const` type parameter of
 * `createProcessors`: where one is expected, an object keeps its literals. A literal type of numbers would do the same, but also
 * where a call returns a number: `{ total: list.reduce((sum, each) => sum + each, 0) }` would then add in the type 0. Arrays are
 * expected to be mutable, or those in a result would become read-only.
 */
type KeepLiterals = Nothing & (0 | Literals);
type Literals = Uppercase<string> | boolean | null | Literals[] | { readonly [key: string]: Literals };
