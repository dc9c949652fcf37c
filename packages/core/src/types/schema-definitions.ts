import type { SchemaInput, SchemaOutput, StandardSchema } from "./standard-schema.ts";

/** One job type written with schemas. */
export interface SchemaDefinition {
  /** Whether it may start a chain and block a job. */
  readonly entry?: boolean;
  /** Checks and transforms what a start or a continuation writes. */
  readonly input: StandardSchema;
  /** Checks and transforms what the handler returns. Absent: the step always continues. */
  readonly output?: StandardSchema;
  /** The names of the next steps, or `{ input: schema }` for every type that accepts such an input. */
  readonly continueWith?: readonly (string | { readonly input: StandardSchema })[];
  /** The names of the entry types that must complete first, in order; `{ rest: name }`, in the last place, for any number. */
  readonly blockers?: readonly (string | BlockerChoice | BlockerRest)[];
}

/** One blocker of one of several types. */
export interface BlockerChoice {
  readonly anyOf: readonly string[];
}

/** Any number of blockers of these types. */
export interface BlockerRest {
  readonly rest: string | readonly string[];
}

/** The definitions that schemas describe, in the form of those written with types. */
export type TypesOfSchemas<Schemas> = { [Name in keyof Schemas]: TypesOfSchema<Schemas[Name]> };

type TypesOfSchema<Def> = {
  -readonly [Key in keyof Def | WrittenKey<Def>]: Key extends keyof PropertyTypes<Def>
    ? PropertyTypes<Def>[Key]
    : Def[Key & keyof Def];
};

/** `accepts` and `returns` are beside `input` and `output`, because a schema may transform what callers write into what is stored. */
type WrittenKey<Def> =
  | (Def extends { readonly input: unknown } ? "accepts" : never)
  | (Def extends { readonly output: unknown } ? "returns" : never);

interface PropertyTypes<Def> {
  input: SchemaOutput<Def["input" & keyof Def]>;
  accepts: SchemaInput<Def["input" & keyof Def]>;
  output: SchemaOutput<Def["output" & keyof Def]>;
  returns: SchemaInput<Def["output" & keyof Def]>;
  continueWith: Target<ItemOf<Def["continueWith" & keyof Def]>>;
  blockers: Blockers<Def["blockers" & keyof Def]>;
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : List;

type Target<Item> = Item extends { readonly input: infer Schema } ? { readonly input: SchemaOutput<Schema> } : Item;

type Blockers<List> = List extends readonly [infer First, ...infer Others]
  ? First extends { readonly rest: infer Names }
    ? readonly ItemOf<Names>[]
    : readonly [First extends { readonly anyOf: infer Names } ? ItemOf<Names> : First, ...Blockers<Others>]
  : readonly [];
