import type { JobTypeSlice } from "../model/job-type.ts";

declare const carried: unique symbol;

/**
 * A slice of an application's job types, as `defineJobTypes` returns it.
 *
 * `Own` maps names to definitions, `External` holds the types of other slices that it refers to, and `Form` is how it was
 * written: with types alone, or with schemas.
 *
 * @example
 * type Mails = { "mail.send": { entry: true; input: { to: string }; output: { sent: boolean } } };
 * function connect(jobTypes: JobTypes<Mails>) {
 *   return createClient({ stateAdapter, jobTypes });
 * }
 * await connect(defineJobTypes<Mails>()).startChain({ typeName: "mail.send", input: { to } });
 */
export interface JobTypes<
  in out Own,
  /* Not `{}`: in JavaScript the compiler takes a default of `{}` for `any`. */
  in out External = object,
  in out Form extends "types" | "schemas" = "types",
> extends JobTypeSlice {
  /** Types only: it does not exist at run time. */
  readonly [carried]?: { readonly own: Own; readonly external: External; readonly form: Form };
}

/** The definitions of a slice. */
export type OwnTypes<Slice> = Slice extends JobTypes<infer Own, infer _External, infer _Form> ? Own : never;

/** The definitions of other slices that a slice refers to. */
export type ExternalTypes<Slice> = Slice extends JobTypes<infer _Own, infer External, infer _Form> ? External : never;

/** Everything a client knows: one slice's definitions, or those of all slices joined. */
export type MergedTypes<Slices> = Slices extends readonly unknown[]
  ? Joined<OwnTypes<Slices[number]>>
  : OwnTypes<Slices>;

/** A union of objects as one object that has all their properties. */
export type Joined<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never;
