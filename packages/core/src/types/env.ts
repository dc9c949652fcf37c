/**
 * The one bag of types that a client carries: its job types, and the transaction handle of its state adapter.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * type AppTx = AppEnv extends Env<infer _Types, infer Tx> ? Tx : never; // PoolClient, on `pg`
 * const insert = async (tx: AppTx) => await tx.query("insert into orders (id) values ($1)", [orderId]);
 */
export interface Env<in out Types, in out Tx> {
  readonly types: Types;
  readonly tx: Tx;
  /* The names are a member, so that the compiler makes a union of thousands once, not with every call that it checks. */
  readonly names: keyof Types;
  readonly entries: { [Name in keyof Types]: Types[Name] extends { readonly entry: true } ? Name : never }[keyof Types];
}

/** The members of every `Env`. */
export interface AnyEnv {
  readonly types: unknown;
  readonly tx: unknown;
  readonly names: PropertyKey;
  readonly entries: PropertyKey;
}
