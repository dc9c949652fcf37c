/**
 * A mapped type over the names of job types, read at some of them. With `Table[Name & keyof Types]` in its place the compiler
 * would make the union of all names anew for each reading, which in a client with thousands of job types is most of its work.
 */
export type At<Table extends AnyTable, Name extends PropertyKey> = Table[Name];

/** Any table. */
export interface AnyTable {
  readonly [typeName: PropertyKey]: unknown;
}
