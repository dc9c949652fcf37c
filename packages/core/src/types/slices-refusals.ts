import type { ExternalTypes, Joined, MergedTypes, OwnTypes } from "./job-types.ts";

/** The errors of slices that are used together, as sentences; `never` when there is none. */
export type SliceRefusals<Slices> = Slices extends readonly unknown[]
  ? SeveralRefusals<Slices>
  : Absent<OwnTypes<Slices>, keyof ExternalTypes<Slices>>;

type SeveralRefusals<Slices extends readonly unknown[]> =
  Joined<Owners<Slices>[number]> extends infer Owner
    ? // If a name has two owners, its property is "0" & "1", which makes the whole intersection `never`.
      [Owner] extends [never]
      ? Duplicates<Owners<Slices>>
      : ExternalRefusals<Slices>
    : never;

type ExternalRefusals<Slices extends readonly unknown[]> = RefusalOfExternal<
  MergedTypes<Slices>,
  Joined<ExternalTypes<Slices[number]>>,
  Written<ExternalTypes<Slices[number]>, OwnTypes<Slices[number]>>
>;

type RefusalOfExternal<Known, External, Written> = [Known] extends [External]
  ? [Written] extends [never]
    ? never
    : Different<Known, Joined<Written>>
  : [Absent<Known, keyof External>] extends [never]
    ? Different<Known, External>
    : Absent<Known, keyof External>;

/* What was written out instead of `typeof` the owner's slice, which is the same type. */
type Written<External, Owns> = External extends unknown
  ? [keyof External] extends [never]
    ? never
    : [External] extends [Owns]
      ? never
      : External
  : never;

/* What slices say of the types of others must be what their owners say. */
type Different<Known, External> = {
  [Name in keyof External]: Name extends keyof Known
    ? [Known[Name], External[Name]] extends [External[Name], Known[Name]]
      ? never
      : `'${Name & string}' is declared differently by a slice that refers to it; pass typeof the slice that owns it`
    : never;
}[keyof External];

/** Each slice as its names, each with the slice's place as its type. */
type Owners<Slices extends readonly unknown[]> = {
  [Place in keyof Slices]: { [Name in keyof OwnTypes<Slices[Place]>]: Place };
};

type Duplicates<Places extends readonly unknown[]> = Places extends readonly [infer First, ...infer Rest]
  ? Duplicated<keyof First & KeysOf<Rest[number]>> | Duplicates<Rest>
  : never;

type KeysOf<Place> = Place extends unknown ? keyof Place : never;

type Duplicated<Name> = Name extends string ? `'${Name}' is defined by two slices` : never;

type Absent<Known, Name> = Name extends keyof Known
  ? never
  : `'${Name & string}' is not defined by any slice, but one refers to it`;
