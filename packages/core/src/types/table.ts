/**
 * A mapped type over the names of job types, read at some of them. With `Table[Name & keyof Types]` instead, the compiler would
 * create the union of all names for each read, which is most of its work for a client with thousands of job types.
 */
export type At<Table extends AnyTable, Name extends PropertyKey> = Table[Name];

/**
 * The same as `At`, for types that an editor shows: it would show a union read by `At` as `At<...>`, but it shows the result of a
 * conditional type under its own name.
 */
export type Shown<Table extends AnyTable, Name extends PropertyKey> = [Name] extends [never] ? never : Table[Name];

/** Any table. */
export interface AnyTable {
  readonly [typeName: PropertyKey]: unknown;
}
