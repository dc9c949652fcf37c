import type { FirstOf } from "./first-of.ts";
import type { InputOf, OutputOf, StoredOutput } from "./job-type-lookups.ts";
import type { ShownType } from "./shown-type.ts";
import type { Stored } from "./stored.ts";

type What = "input" | "output";

/** The versions by name, but wrong ones are replaced by a sentence about their error. */
export type CheckedLadders<Kind extends What, Own, Ladders> = unknown extends Ladders
  ? { readonly [typeName: string]: Stored<never> }
  : [Ladders] extends [never]
    ? Ladders
    : { readonly [Name in keyof Ladders]: CheckedLadder<Kind, Own, Name, NoInfer<Ladders>[Name]> };

type CheckedLadder<Kind extends What, Own, Name, Ladder> = Name extends keyof Own & string
  ? Ladder extends Stored<infer Latest, infer _Backs>
    ? EndFinding<Kind, Name, Latest, DeclaredOf<Kind, Own[Name]>> extends infer Sentence
      ? [Sentence] extends [never]
        ? Ladder
        : Sentence
      : never
    : `the versions of '${Name}' must begin with stored<...>()`
  : `'${Name & string}' is not a job type of the slice`;

type DeclaredOf<Kind extends What, Def> = Kind extends "input" ? InputOf<Def> : StoredOutput<OutputOf<Def>>;

type EndFinding<Kind extends What, Name extends string, Latest, Declared> = [Declared] extends [never]
  ? `'${Name}' has no ${Kind}`
  : [Latest] extends [Declared]
    ? never
    : [Latest, Declared] extends [object, object]
      ? FirstOf<MissingKey<Latest, Declared>> extends infer Missing extends string
        ? [Missing] extends [never]
          ? WrongProperty<Kind, Name, Latest, Declared>
          : `the last version of the ${Kind} of '${Name}' has no '${Missing}', which the declared ${Kind} has; add .then(...)`
        : WrongShape<Kind, Name, Latest, Declared>
      : WrongShape<Kind, Name, Latest, Declared>;

type MissingKey<Latest, Declared> = Exclude<
  { [Key in keyof Declared]-?: {} extends Pick<Declared, Key> ? never : Key }[keyof Declared],
  keyof Latest
>;

type WrongProperty<Kind extends What, Name extends string, Latest, Declared> =
  FirstOf<WrongKey<Latest, Declared>> extends infer Key extends keyof Latest & keyof Declared & string
    ? [Key] extends [never]
      ? WrongShape<Kind, Name, Latest, Declared>
      : `'${Key}' in the last version of the ${Kind} of '${Name}' is ${ShownType<Latest[Key], 1>}; in the declared ${Kind} it is ${ShownType<Declared[Key], 1>}`
    : WrongShape<Kind, Name, Latest, Declared>;

type WrongKey<Latest, Declared> = {
  [Key in keyof Latest & keyof Declared]-?: [Latest[Key]] extends [Declared[Key]] ? never : Key;
}[keyof Latest & keyof Declared];

type WrongShape<
  Kind extends What,
  Name extends string,
  Latest,
  Declared,
> = `the last version of the ${Kind} of '${Name}' is ${ShownType<Latest, 1>}; the declared ${Kind} is ${ShownType<Declared, 1>}`;

/** The versions to write, but wrong ones are replaced by a sentence. */
export type CheckedWrites<Inputs, Writes> = unknown extends Writes
  ? { readonly [typeName: string]: number }
  : [Writes] extends [never]
    ? Writes
    : { readonly [Name in keyof Writes]: CheckedWrite<Inputs, Name, NoInfer<Writes>[Name]> };

type CheckedWrite<Inputs, Name, Version> = Name extends keyof Inputs & string
  ? Inputs[Name] extends Stored<infer _Latest, infer Backs>
    ? Version extends VersionsOf<Backs>
      ? [WithoutBack<Backs, Version>] extends [never]
        ? Version
        : `version ${Version & number} of '${Name}' cannot be written: version ${WithoutBack<Backs, Version>} has no back`
      : `'${Name}' has no such version; it has ${ShownVersions<Backs>}`
    : never
  : `'${Name & string}' has no versions of its input`;

/** From 1 to one more than there are steps. */
type VersionsOf<Backs extends readonly unknown[]> = number extends Backs["length"]
  ? number
  : [...Backs, unknown] extends readonly [infer _First, ...infer Rest]
    ? [...Rest, unknown]["length"] | VersionsBelow<Backs>
    : never;

type VersionsBelow<Backs extends readonly unknown[]> = Backs extends readonly [infer _First, ...infer Rest]
  ? VersionsOf<Rest>
  : never;

type ShownVersions<Backs extends readonly unknown[]> = [...Backs, unknown]["length"] extends 1
  ? "version 1 only"
  : `versions 1 to ${[...Backs, unknown]["length"] & number}`;

/** The first version above `Version` that has no back. */
type WithoutBack<Backs, Version, Above extends readonly unknown[] = [unknown]> = Backs extends readonly [
  infer Has,
  ...infer Rest,
]
  ? Above["length"] extends Version
    ? FirstWithout<Backs, Above>
    : WithoutBack<Rest, Version, [...Above, Has]>
  : never;

type FirstWithout<Backs, Before extends readonly unknown[]> = Backs extends readonly [infer Has, ...infer Rest]
  ? Has extends true
    ? FirstWithout<Rest, [...Before, Has]>
    : [...Before, Has]["length"] & number
  : never;
