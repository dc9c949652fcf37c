import type { BatchResult } from "./batch.ts";
import type { Client } from "./client.ts";
import type { AnyEnv, Env } from "./env.ts";
import type { AddedBy, Middleware } from "./middleware.ts";
import type { FirstOf } from "./first-of.ts";
import type { ExtraSentences, LooseName, Returning } from "./extra-output.ts";
import type { Handler, Handling, ProcessorDefinition } from "./processor.ts";
import type { AnyStepTable } from "./step-types.ts";
import type { RetryDecision, RetryOptions } from "./retry.ts";
import type { ShownType } from "./shown-type.ts";
import type { SliceFault } from "./slice-of-client.ts";
import type { StepTable } from "./step-table.ts";
import type { JobTypes } from "./job-types.ts";
import type { Completed, Continuation } from "./step-result.ts";

declare const handled: unique symbol;

/**
 * The processors of one slice, for `createWorker`.
 *
 * @example
 * const slices: readonly Processors[] = [orderProcessors, mailProcessors];
 * const worker = createWorker({ client, processors: slices });
 */
export interface Processors<out Names extends string = string> {
  /** The names of the job types of the slice. Types only: it does not exist at run time. */
  readonly [handled]: Names;
}

/**
 * Gives each job type of a slice its handler: a function, or an object with a function and options.
 *
 * @example
 * const stockProcessors = createProcessors({
 *   client,
 *   jobTypes: stockJobTypes,
 *   processors: {
 *     "stock.reserve": async ({ job }) => ({ reserved: await warehouse.reserve(job.input.sku) }),
 *     "order.charge": { retry: { maxAttempts: 5 }, handler: async ({ job, complete }) => complete(async ({ tx }) => charge(tx, job.input)) },
 *   },
 * });
 */
export type CreateProcessors = <
  Types,
  Tx,
  Own,
  External,
  Form extends "types" | "schemas",
  Given,
  Results,
  const Layers extends readonly Middleware[],
  /* `const`, because it is a part of what handlers may return; see `KeepLiterals`. */
  const Added = AddedBy<Layers>,
  /* The rest is never inferred: a table behind a type parameter is instantiated once as a whole, and not once a property. */
  Table extends AnyStepTable = StepTable<Types, Tx, Own, Form>,
  Fault = SliceFault<Types, Own>,
  Loose = Given extends Expected<Table, Table, Added> ? LooseName<Table, Results> | Unhandled<Given> : never,
  Sentence = Wrong<Own, Table, Added, Given, Loose, Results>,
  Gap = Missing<Table, Added, Given>,
>(
  /*
   * `Expected` must stay a plain mapped type: the compiler then looks up the context of one handler at a time, after it has
   * inferred middleware that is written in place. `Given` is inferred from the branch that is never taken. Until it is known,
   * everything passes; errors are reported as sentences later.
   */
  options: ProcessorsOptions<
    Env<Types, Tx>,
    [Fault] extends [never] ? JobTypes<Own, External, Form> : NoInfer<Fault>,
    Layers,
    | (Expected<Right<Table, Added, Given, Loose>, Table, Added> &
        NoInfer<Sentence> &
        ([Given] extends [never] ? Given & Returning<Results> : unknown))
    | NoInfer<Gap>
  >,
) => Processors<NoInfer<keyof Table & string>>;

/**
 * Shares a client, middleware and options among the processors of several slices.
 *
 * @example
 * const createAppProcessors = createProcessorsWith({ client, retry: { maxAttempts: 5 }, timeoutMs: 30_000 });
 * const mailProcessors = createAppProcessors({
 *   jobTypes: mailJobTypes,
 *   processors: { "mail.send": async ({ job }) => ({ sent: job.input.to !== "" }) },
 * });
 */
export type CreateProcessorsWith = <Types, Tx, const Shared extends readonly Middleware[]>(
  shared: SharedOptions<Env<Types, Tx>, Shared>,
) => CreateSharingProcessors<Types, Tx, Shared>;

/** `createProcessors` with a client, middleware and options that are given already. Its signature is that of `CreateProcessors`. */
export type CreateSharingProcessors<Types, Tx, Shared extends readonly Middleware[]> = <
  Own,
  External,
  Form extends "types" | "schemas",
  Given,
  Results,
  const Layers extends readonly Middleware[],
  const Added = AddedBy<readonly [...Shared, ...Layers]>,
  Table extends AnyStepTable = StepTable<Types, Tx, Own, Form>,
  Fault = SliceFault<Types, Own>,
  Loose = Given extends Expected<Table, Table, Added> ? LooseName<Table, Results> | Unhandled<Given> : never,
  Sentence = Wrong<Own, Table, Added, Given, Loose, Results>,
  Gap = Missing<Table, Added, Given>,
>(
  options: SliceOptions<
    [Fault] extends [never] ? JobTypes<Own, External, Form> : NoInfer<Fault>,
    Layers,
    | (Expected<Right<Table, Added, Given, Loose>, Table, Added> &
        NoInfer<Sentence> &
        ([Given] extends [never] ? Given & Returning<Results> : unknown))
    | NoInfer<Gap>
  >,
) => Processors<NoInfer<keyof Table & string>>;

/** The options of `createProcessors`. */
export interface ProcessorsOptions<
  in out E extends AnyEnv,
  in out Slice,
  in out Layers,
  in out Table,
> extends AttemptDefaults {
  readonly client: Client<E>;
  readonly jobTypes: Slice;
  /** Wraps every attempt, the first one outermost. */
  readonly middleware?: Layers | undefined;
  /** A handler for every job type of the slice. */
  readonly processors: Table;
}

/** What the processors of several slices share. */
export interface SharedOptions<in out E extends AnyEnv, in out Layers> extends AttemptDefaults {
  readonly client: Client<E>;
  /** Wraps every attempt, the first one outermost. */
  readonly middleware?: Layers | undefined;
}

/** The processors of one slice, and their options. */
export interface SliceOptions<in out Slice, in out Layers, in out Table> extends AttemptDefaults {
  readonly jobTypes: Slice;
  /** Wraps every attempt, the first one outermost. */
  readonly middleware?: Layers | undefined;
  /** A handler for every job type of the slice. */
  readonly processors: Table;
}

/** The options of attempts, for all processors that do not give them themselves. */
interface AttemptDefaults {
  /** How often and when a failed attempt is retried, for processors that do not say it themselves. Default: the worker's. */
  readonly retry?: RetryOptions | undefined;
  /** How long an attempt may take, for processors that do not say it themselves. Default: the worker's. */
  readonly timeoutMs?: number | undefined;
  /** How long a claimed job stays leased, for processors that do not say it themselves. Default: the worker's. */
  readonly leaseMs?: number | undefined;
}

type Expected<Names, Table extends AnyStepTable, Added> = {
  readonly [Name in keyof Names]?: Handler<Table[Name], Added> | ProcessorDefinition<Table[Name], Added>;
};

/** The names of objects with neither a handler nor a batch, or with both. One comparison suffices for a slice that has none. */
type Unhandled<Given> = Given extends AllHandled
  ? never
  : { readonly [Name in keyof Given]: Given[Name] extends Handling ? never : Name }[keyof Given];

interface AllHandled {
  readonly [typeName: string]: Handling;
}

/**
 * The table itself until `Given` is known, and if no handler in `Given` is wrong; otherwise a part of the table. If a sentence
 * replaces the table, `Expected`, which maps over it, becomes the same sentence.
 */
type Right<Table extends AnyStepTable, Added, Given, Loose> = unknown extends Given
  ? Table
  : Given extends Expected<Table, Table, Added>
    ? [Loose] extends [never]
      ? Table
      : Pick<Table, Exclude<keyof Table, Loose>>
    : Pick<Table, RightName<Table, Added, Given>>;

type RightName<Table extends AnyStepTable, Added, Given> = {
  [Name in keyof Table]: Name extends keyof Given
    ? Given[Name] extends Expected<Table, Table, Added>[Name]
      ? Given[Name] extends Handling
        ? Name
        : never
      : never
    : never;
}[keyof Table];

/** The errors, as sentences. */
type Wrong<Own, Table extends AnyStepTable, Added, Given, Loose, Results> = unknown extends Given
  ? unknown
  : Given extends Expected<Table, Table, Added>
    ? [keyof Given] extends [keyof Table]
      ? [keyof Table] extends [keyof Given]
        ? [Loose] extends [never]
          ? unknown
          : ExtraSentences<Table, Results, Exclude<Loose, Unhandled<Given>> & keyof Results> &
              Sentences<Own, Table, Given, Unhandled<Given>>
        : [Unhandled<Given>] extends [never]
          ? never
          : Sentences<Own, Table, Given, Unhandled<Given>>
      : Sentences<Own, Table, Given, Exclude<keyof Given, keyof Table>>
    : Sentences<Own, Table, Given, Exclude<keyof Given, RightName<Table, Added, Given>>>;

/**
 * In place of the table, if only handlers are missing: a sentence that is the name of a property, because the compiler's message
 * begins with the name of a property that is missing.
 */
type Missing<Table extends AnyStepTable, Added, Given> = unknown extends Given
  ? object
  : [keyof Table] extends [keyof Given]
    ? never
    : [keyof Given] extends [keyof Table]
      ? Given extends Expected<Table, Table, Added>
        ? [Unhandled<Given>] extends [never]
          ? { readonly [Name in keyof Given | NoHandler<Exclude<keyof Table, keyof Given>>]: unknown }
          : never
        : never
      : never;

type NoHandler<Name> =
  FirstOf<Name> extends infer First
    ? [Name] extends [First]
      ? `'${First & string}' has no handler`
      : `'${First & string}' and others have no handler`
    : never;

type Sentences<Own, Table extends AnyStepTable, Given, Names extends keyof Given> = {
  readonly [Name in Names]: Name extends keyof Table
    ? HandlerSentence<Name & string, Given[Name], Table[Name]["output"]>
    : Name extends keyof Own
      ? `'${Name & string}' has its workers elsewhere; leave out its handler here`
      : `'${Name & string}' is not a job type of this slice`;
};

type HandlerSentence<Name extends string, Processor, Wanted> = Processor extends (...args: never) => infer Result
  ? ResultSentence<Name, Result, Wanted>
  : Processor extends { readonly batch: object; readonly handler: unknown }
    ? `the handler of '${Name}' belongs in its batch, where it gets many jobs: batch: { maxSize, maxWaitMs, handler }`
    : Processor extends { readonly handler: (...args: never) => infer Result }
      ? Processor extends WithOptions
        ? ResultSentence<Name, Result, Wanted>
        : OptionSentence<Name, Processor>
      : Processor extends { readonly batch: infer Batch extends object }
        ? Processor extends WithOptions
          ? BatchSentence<Name, Batch, Wanted>
          : OptionSentence<Name, Processor>
        : `'${Name}' is given neither a handler nor an object with one`;

type BatchSentence<Name extends string, Batch, Wanted> = Batch extends {
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly handler: (...args: never) => Promise<readonly (infer Result)[] | Completed>;
}
  ? [Result] extends [BatchResult<Wanted>]
    ? `an option of the batch of '${Name}' has another type, or its handler takes another context; declare that as BatchHandlerOf<typeof client, typeof jobTypes, '${Name}'>`
    : `each result of the batch of '${Name}' must be ${ShownType<Wanted>}, a continuation or failed(error); one is ${ShownType<Exclude<Result, BatchResult<Wanted>>>}`
  : `the batch of '${Name}' must have maxSize, maxWaitMs and a handler that returns an array with a result for each of its jobs`;

interface WithOptions extends AttemptDefaults {
  readonly handler?: unknown;
  readonly batch?: unknown;
}

type OptionSentence<Name extends string, Processor> = Processor extends {
  readonly retry: { readonly when: (...args: never) => infer Decision };
}
  ? [Decision] extends [RetryDecision]
    ? OtherOption<Name>
    : `retry.when of '${Name}' must return 'fail', 'retry' or { afterMs, uncounted }; it returns ${ShownDecision<Decision>}`
  : OtherOption<Name>;

type ShownDecision<Decision> = [Decision] extends [PromiseLike<unknown>] ? "a promise" : ShownType<Decision>;

type OtherOption<Name extends string> =
  `an option of '${Name}' has another type; retry takes maxAttempts, backoff and when, and timeoutMs and leaseMs are numbers`;

/* What it returns may be right: then it is a function written elsewhere, with a parameter of another type. */
type ResultSentence<Name extends string, Result, Wanted> = [Result] extends [PromiseLike<infer Returned>]
  ? [Returned] extends [Wanted | Continuation | Completed]
    ? `the handler of '${Name}' takes another context than it is given; declare it as HandlerOf<typeof client, typeof jobTypes, '${Name}'>`
    : `the handler of '${Name}' must return ${Output<Wanted>}; it returns ${ShownType<Returned>}`
  : `the handler of '${Name}' returns no promise; make it async`;

type Output<Wanted> = [Wanted] extends [never] ? "a continuation" : `${ShownType<Wanted>} or a continuation`;
