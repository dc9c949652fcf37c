import type { ExternalTypes, Joined, OwnTypes } from "./job-types.ts";

/** The errors of slices that are used together, as sentences; `never` when there is none. */
export type SliceRefusals<Slices> = Slices extends readonly unknown[]
  ? Joined<Owners<Slices>[number]> extends infer Owner
    ? // If a name has two owners, its property is "0" & "1", which makes the whole intersection `never`.
      [Owner] extends [never]
      ? Duplicates<Owners<Slices>>
      : Absent<Owner, keyof Joined<ExternalTypes<Slices[number]>>>
    : never
  : Absent<OwnTypes<Slices>, keyof ExternalTypes<Slices>>;

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
