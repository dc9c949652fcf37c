import type { EndedJob } from "./batch.ts";
import type { FirstOf } from "./first-of.ts";
import type { Nothing } from "./processor.ts";
import type { AnyStepTable } from "./step-types.ts";
import type { Completed, Continuation } from "./step-result.ts";

/** Processors of which the compiler infers what each returns: that instantiates nothing. */
export type Returning<Results> = {
  readonly [Name in keyof Results]:
    | ((...args: never) => Promise<Results[Name]>)
    | { readonly handler: (...args: never) => Promise<Results[Name]> }
    | { readonly batch: { readonly handler: (...args: never) => Promise<readonly Results[Name][] | Completed> } };
};

/**
 * The names of the handlers that return an object with properties that the output does not have: the compiler itself does not
 * refuse them in what a function returns.
 */
export type LooseName<Table extends AnyStepTable, Results> = Results extends AllEnded
  ? never
  : {
      [Name in keyof Results]: Results[Name] extends Ended ? never : Loose<Results[Name], Table[Name]["output"], Name>;
    }[keyof Results];

/* With this one comparison the slices of which all handlers end with `complete` or `continueWith` cost nothing. */
type AllEnded = { readonly [typeName: string]: Ended };

type Ended = Continuation | Completed | EndedJob;

/* For each member of a union. The first comparison is the cheapest, and nearly always enough. */
type Loose<Returned, Output, Name> = Returned extends Ended
  ? never
  : keyof Returned extends keyof Output
    ? never
    : [ExtraKey<Returned, KeysOf<Output>>] extends [never]
      ? never
      : Name;

/** The properties of what a handler returns that no object of its output has. */
type ExtraKey<Returned, Known> = [Known] extends [never]
  ? never
  : Returned extends Ended | Nothing | readonly unknown[]
    ? never
    : Returned extends object
      ? string extends keyof Returned
        ? never
        : Exclude<keyof Returned, Known>
      : never;

type KeysOf<Union> = Union extends object ? keyof Union : never;

/** A sentence for each of these names. */
export type ExtraSentences<Table extends AnyStepTable, Results, Names extends keyof Results> = {
  readonly [
    Name in Names
  ]: `the handler of '${Name & string}' returns '${FirstOf<ExtraKey<Results[Name], KeysOf<Table[Name]["output"]>>> & string}', which its output does not have; leave it out, or declare it`;
};
