import type { BlockerNames, ItemOf } from "./blocker-names.ts";
import type { SchemaInput, SchemaOutput, StandardSchema } from "./standard-schema.ts";

/** One job type written with schemas. */
export interface SchemaDefinition {
  /** Whether it may start a chain and block a job. */
  readonly entry?: boolean;
  /** Checks the inputs of starts and continuations. What they write is stored; a handler gets what the schema makes of it. */
  readonly input: StandardSchema;
  /** Checks and transforms what the handler returns; the result is stored. Absent: the step always continues. */
  readonly output?: StandardSchema;
  /** The next step, or a list of several: a name, or `{ input: schema }` for every type that accepts such an input. */
  readonly continueWith?: SchemaTarget | readonly SchemaTarget[];
  /** The names of the entry types that must complete first, in order; `{ rest: name }`, in the last place, for any number. */
  readonly blockers?: readonly (string | BlockerChoice | BlockerRest)[];
  /** The signals that it waits for: a schema for the payload of each, which is stored as the sender wrote it. */
  readonly signals?: { readonly [signal: string]: StandardSchema };
  /** What `saveCheckpoint` of its handler takes. It is stored as the handler wrote it; `job.checkpoint` is what the schema makes of it. */
  readonly checkpoint?: StandardSchema;
  /** What `progress` of its handler takes. */
  readonly progress?: StandardSchema;
  /** The names of the entry types that may undo a step of this type: one, or a list. */
  readonly compensate?: string | readonly string[];
  /** Of an entry: the name of the entry type that runs if its chain fails or is cancelled. Its input is a `StoppedChain`. */
  readonly whenStopped?: string;
  /** Whether workers of other programs run its jobs, so that it has no handler here: see `@chainwright/gateway`. */
  readonly elsewhere?: boolean;
}

type SchemaTarget = string | { readonly input: StandardSchema };

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

/**
 * `reads`, `returns`, `receives` and `resumes` are what a handler reads as its input, returns, gets with signals, and goes on from. They are beside what is stored,
 * because a schema may transform one into the other.
 */
type WrittenKey<Def> =
  | (Def extends { readonly input: unknown } ? "reads" : never)
  | (Def extends { readonly output: unknown } ? "returns" : never)
  | ("signals" extends keyof Def ? "receives" : never)
  | ("checkpoint" extends keyof Def ? "resumes" : never);

interface PropertyTypes<Def> {
  input: SchemaInput<Def["input" & keyof Def]>;
  reads: SchemaOutput<Def["input" & keyof Def]>;
  output: SchemaOutput<Def["output" & keyof Def]>;
  returns: SchemaInput<Def["output" & keyof Def]>;
  continueWith: Target<ItemOf<Def["continueWith" & keyof Def]>>;
  signals: PayloadInputs<Def["signals" & keyof Def]>;
  receives: PayloadOutputs<Def["signals" & keyof Def]>;
  checkpoint: SchemaInput<Def["checkpoint" & keyof Def]>;
  resumes: SchemaOutput<Def["checkpoint" & keyof Def]>;
  progress: SchemaInput<Def["progress" & keyof Def]>;
  blockers: BlockerNames<Def["blockers" & keyof Def]>;
}

type PayloadInputs<Signals> = { [Name in keyof Signals]: SchemaInput<Signals[Name]> };

type PayloadOutputs<Signals> = { [Name in keyof Signals]: SchemaOutput<Signals[Name]> };

type Target<Item> = Item extends { readonly input: infer Schema } ? { readonly input: SchemaInput<Schema> } : Item;
