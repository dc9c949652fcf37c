import type { Client } from "./client.ts";
import type { CompletedBlockers } from "./chain.ts";
import type { AnyEnv, Env } from "./env.ts";
import type { ContinueWith } from "./continue-with.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { InputOf, OutputOf, PlainType, TargetOf } from "./job-type-lookups.ts";
import type { JobTypes } from "./job-types.ts";
import type { AddedBy, Middleware } from "./middleware.ts";
import type { Handler, ProcessorDefinition } from "./processor.ts";
import type { Completed, Continuation } from "./step-result.ts";

declare const handled: unique symbol;

/** The processors of one slice, for `createWorker`. */
export interface Processors {
  readonly [handled]: true;
}

/**
 * Gives each job type of a slice its handler: a function, or an object with a function and options.
 *
 * @example
 * const orderProcessors = createProcessors({
 *   client,
 *   jobTypes: orderJobTypes,
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
  const Layers extends readonly Middleware[] = readonly [],
  /* Never inferred: a table that stands behind a type parameter is instantiated once as a whole, and not once a property. */
  Table = Form extends "types" ? ProcessorTable<Types, Tx, Own, AddedBy<Layers>> : SchemaProcessorTable<Types, Tx, Own, AddedBy<Layers>>,
>(
  options: ProcessorsOptions<Env<Types, Tx>, JobTypes<Own, External, Form>, Layers, Accepted<Own, Table, Given>>,
) => Processors;

/** What `createProcessors` takes. */
export interface ProcessorsOptions<in out E extends AnyEnv, in out Slice, in out Layers, in out Table> {
  readonly client: Client<E>;
  readonly jobTypes: Slice;
  /** Wraps every attempt, the first one outermost. */
  readonly middleware?: Layers | undefined;
  /** A handler for every job type of the slice. */
  readonly processors: Table;
}

/** For each job type of a slice what its processor may be. */
export type ProcessorTable<Types, Tx, Own, Added> = unknown extends Own
  ? Unknown
  : {
      readonly [Name in keyof Own]?: Processor<
        OutputOf<Own[Name]> | Continuation | Completed,
        HandlerContext<Name, InputOf<Own[Name]>, BlockersOf<Types, Own[Name]>, Tx, OutputOf<Own[Name]>, ContinueWith<Types, Name, TargetOf<Own[Name]>>> & Added
      >;
    };

/** The same for a slice with schemas, whose handlers return what the schema takes. */
type SchemaProcessorTable<Types, Tx, Own, Added> = unknown extends Own
  ? Unknown
  : {
      readonly [Name in keyof Own]?: Processor<
        ReturnsOf<Own[Name]> | Continuation | Completed,
        HandlerContext<Name, InputOf<Own[Name]>, BlockersOf<Types, Own[Name]>, Tx, ReturnsOf<Own[Name]>, ContinueWith<Types, Name, TargetOf<Own[Name]>>> & Added
      >;
    };

type ReturnsOf<Def> = Def["returns" & keyof Def];

type Processor<Result, Context> = Handler<Result, Context> | ProcessorDefinition<Result, Context>;

type BlockersOf<Types, Def> = Def extends PlainType ? readonly [] : CompletedBlockers<Types, Def["blockers" & keyof Def]>;

/*
 * Before the slice is known, the compiler looks at handlers that use no context, and would make `string` of "paid" and
 * `boolean` of true in what they return. These literal types, as the expected result, keep it from that.
 */
interface Unknown {
  readonly [typeName: string]: Processor<Literals, never>;
}
type Literals = `${string}` | 0 | boolean | null | readonly Literals[] | { readonly [key: string]: Literals };

/**
 * The table where what was given fits it, and sentences where it does not. `Given` is inferred from the branch that is never
 * taken; until it is known, the table itself is what gives handlers their context.
 */
type Accepted<Own, Table, Given> = unknown extends Given
  ? NoInfer<Table>
  : [Given] extends [never]
    ? Given
    : Given extends Table
      ? [Names<Given>] extends [keyof Own]
        ? [keyof Own] extends [Names<Given>]
          ? NoInfer<Table>
          : Missing<Exclude<keyof Own, Names<Given>>>
        : Mistakes<Table, Given>
      : Mistakes<Table, Given>;

type Missing<Name> = Name extends string ? `'${Name}' has no handler` : never;

type Mistakes<Table, Given> = {
  readonly [Name in Names<Given>]: Name extends keyof Table ? Judged<Table[Name], Given[Name], Name> : `'${Name & string}' is not a job type of this slice`;
};

/* A definition without a handler is told so in the compiler's own words, and keeps its completions. */
type Judged<Expected, Processor, Name> = Processor extends Expected
  ? Processor
  : Processor extends ((...args: never) => unknown) | { readonly handler: (...args: never) => unknown }
    ? `the handler of '${Name & string}' returns neither its output nor a continuation`
    : Expected;

/* Not `keyof Given` in place: the compiler would infer `Given` from it. */
type Names<Given> = Given extends unknown ? keyof Given : never;
