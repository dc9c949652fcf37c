/** The one bag of types that a client carries: its job types, and the transaction handle of its state adapter. */
export interface Env<in out Types, in out Tx> {
  readonly types: Types;
  readonly tx: Tx;
}

/** What every bag has. */
export interface AnyEnv {
  readonly types: unknown;
  readonly tx: unknown;
}
