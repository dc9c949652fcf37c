/**
 * A mapped type over the names of job types, read at some of them. With `Table[Name & keyof Types]` in its place the compiler
 * would make the union of all names anew for each reading, which in a client with thousands of job types is most of its work.
 */
export type At<Table extends AnyTable, Name extends PropertyKey> = Table[Name];

/**
 * The same for what an editor shows: a union read by `At` would be shown as `At<...>`, while what a conditional type gives has
 * no name but its own.
 */
export type Shown<Table extends AnyTable, Name extends PropertyKey> = [Name] extends [never] ? never : Table[Name];

/** Any table. */
export interface AnyTable {
  readonly [typeName: PropertyKey]: unknown;
}
