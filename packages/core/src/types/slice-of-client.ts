import type { FirstOf } from "./first-of.ts";

/**
 * A sentence about a job type of a slice that the client does not have, or defines differently; `never` if there is none.
 *
 * The types of a client are an intersection of those of its slices, so joining one of them once more gives the same type. Two of
 * these functions fit only if the types in them are identical, which is found at once. Comparing the definitions costs seven
 * instantiations each, so that is done for copies only. The functions must not share an alias: the compiler would compare its
 * parameter, and types that fit each other are not always identical.
 */
export type SliceFault<Types, Own> =
  (<Any>(any: Any) => Any extends Types & Own ? true : false) extends <Any>(
    any: Any,
  ) => Any extends Types ? true : false
    ? never
    : [IsOf<Types, Own>] extends [true]
      ? never
      : SliceSentence<Types, Own, Exclude<keyof Own, keyof Types>>;

type IsOf<Types, Own> = Types extends Own
  ? [Own] extends [{ [Name in keyof Own]: Types[Name] }]
    ? true
    : false
  : false;

type SliceSentence<Types, Own, Absent> = [Absent] extends [never]
  ? `the client defines '${FirstOf<Different<Types, Own>> & string}' differently; give createClient and createProcessors the same slice`
  : `'${FirstOf<Absent> & string}' is not a job type of the client; give this slice to createClient`;

type Different<Types, Own> = {
  [Name in keyof Own]: [IsOf<Types[Name & keyof Types], Own[Name]>] extends [true] ? never : Name;
}[keyof Own];
