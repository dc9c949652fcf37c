/*
 * Reading one job type's definition. `Def["output" & keyof Def]` is the property where there is one and `never` where
 * there is none, for four instantiations; a conditional type that infers it takes nine. With thousands of job types that
 * difference is what a user waits for.
 */

/** What a handler reads as `job.input`. */
export type InputOf<Def> = Def["input" & keyof Def];

/** The output with which a step may end its chain; `never` for a step that always continues. */
export type OutputOf<Def> = Def["output" & keyof Def];

/** The names a step continues to, and the structural targets among them; `never` for a last step. */
export type TargetOf<Def> = Def["continueWith" & keyof Def];

/** A definition that needs no further checks: it has no blockers, and no schema whose input differs from its output. */
export interface PlainType {
  readonly input: unknown;
  readonly blockers?: undefined;
  readonly accepts?: undefined;
}

/** The type of the input that a caller writes, which may differ from the output of the schema. */
export type AcceptedInput<Def> = Def extends { readonly accepts: infer Accepted } ? Accepted : InputOf<Def>;

/** The type of the output that a caller writes. */
export type AcceptedOutput<Def> = Def extends { readonly returns: infer Returned } ? Returned : OutputOf<Def>;

/** The types that may start a chain and block a job. */
export type EntryName<Types> = {
  [Name in keyof Types]: Types[Name] extends { readonly entry: true } ? Name : never;
}[keyof Types];

/** The types whose input accepts a shape: the targets of a structural `continueWith: { input: Shape }`. */
export type AcceptingName<Types, Shape> = {
  [Name in keyof Types]: Shape extends AcceptedInput<Types[Name]> ? Name : never;
}[keyof Types];
