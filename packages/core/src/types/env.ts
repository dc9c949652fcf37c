/** The one bag of types that a client carries: its job types, and the transaction handle of its state adapter. */
export interface Env<in out Types, in out Tx> {
  readonly types: Types;
  readonly tx: Tx;
  /* The names stand here because a union of thousands has to be made once, and not with every call that is checked. */
  readonly names: keyof Types;
  readonly entries: { [Name in keyof Types]: Types[Name] extends { readonly entry: true } ? Name : never }[keyof Types];
}

/** What every bag has. */
export interface AnyEnv {
  readonly types: unknown;
  readonly tx: unknown;
  readonly names: PropertyKey;
  readonly entries: PropertyKey;
}
