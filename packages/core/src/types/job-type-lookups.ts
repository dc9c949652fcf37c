/*
 * Reading one job type's definition. `Def["output" & keyof Def]` is the property where there is one and `never` where
 * there is none, for four instantiations; a conditional type that infers it takes nine. With thousands of job types that
 * difference is what a user waits for.
 */

/** The input as callers write it, and as it is stored. */
export type InputOf<Def> = Def["input" & keyof Def];

/** The output with which a step may end its chain, as it is declared; `never` for a step that always continues. */
export type OutputOf<Def> = Def["output" & keyof Def];

/** The output as it is stored, and as it is read: an output of `undefined` is stored as `null`. */
export type StoredOutput<Output> = undefined extends Output ? Exclude<Output, undefined | void> | null : Output;

/** The names a step continues to, and the structural targets among them; `never` for a last step. */
export type TargetOf<Def> = Def["continueWith" & keyof Def];

/** The type of the output that a caller writes, which a schema may transform into what is stored. */
export type WrittenOutput<Def> = Def extends { readonly returns: infer Returned }
  ? OrNothing<Returned>
  : OrNothing<OutputOf<Def>>;

/** Where `undefined` is an output, so is nothing, and `null`, as which both are stored. */
export type OrNothing<Output> = undefined extends Output ? Output | void | null : Output;

/** The types that may start a chain and block a job. */
export type EntryName<Types> = {
  [Name in keyof Types]: Types[Name] extends { readonly entry: true } ? Name : never;
}[keyof Types];

/** A step whose handler saves no checkpoints and reports no progress. A comparison with it instantiates nothing. */
export interface UnnotedDefinition {
  /* The compiler compares a type without a common property as if it were a mistake. */
  readonly input?: unknown;
  readonly checkpoint?: undefined;
  readonly progress?: undefined;
  readonly elsewhere?: undefined;
}

/** A step whose handler is in this program. */
export interface HereDefinition {
  readonly input?: unknown;
  readonly elsewhere?: undefined;
}

/** A step that also waits for nothing and names no other chain, as most do. */
export interface PlainDefinition extends UnnotedDefinition {
  readonly blockers?: undefined;
  readonly signals?: undefined;
  readonly compensate?: undefined;
  readonly whenStopped?: undefined;
}

/** A step that waits for signals. */
export interface SignalledDefinition {
  readonly input?: unknown;
  readonly signals: object;
}
