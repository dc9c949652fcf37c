import type { VersionSlice } from "../model/version-step.ts";
import type { FirstOf } from "./first-of.ts";
import type { MergedTypes } from "./job-types.ts";
import type { Versions } from "./versions.ts";

/** The versions that a client is given, or a sentence about their error. Without any it costs two comparisons. */
export type CheckedVersions<Slices, Lifted> = unknown extends Lifted
  ? readonly VersionSlice[]
  : Lifted extends readonly []
    ? Lifted
    : VersionsRefusal<MergedTypes<Slices>, Lifted> extends infer Sentence
      ? [Sentence] extends [never]
        ? NoInfer<Lifted>
        : Sentence
      : never;

type VersionsRefusal<Types, Lifted> = Lifted extends readonly [infer First, ...infer Rest]
  ? First extends Versions<infer Own>
    ? [OneRefusal<Types, Own, NamesOf<Rest[number]>>] extends [never]
      ? VersionsRefusal<Types, Rest>
      : OneRefusal<Types, Own, NamesOf<Rest[number]>>
    : "versions must be results of defineVersions"
  : never;

type NamesOf<Item> = Item extends Versions<infer Types> ? keyof Types : never;

type OneRefusal<Types, Own, Others> = [Extract<keyof Own, Others>] extends [never]
  ? [Exclude<keyof Own, keyof Types>] extends [never]
    ? [DifferentTypes<Types, Own>] extends [never]
      ? never
      : `the client defines '${FirstOf<DifferentTypes<Types, Own>> & string}' differently; give createClient and defineVersions the same slice`
    : `'${FirstOf<Exclude<keyof Own, keyof Types>> & string}' has versions, but is not a job type of the client; give its slice to createClient`
  : `'${FirstOf<Extract<keyof Own, Others>> & string}' has versions in two of these; join them in one defineVersions`;

/** The names of the types that a client defines differently. */
export type DifferentTypes<Types, Own> = {
  [Name in keyof Own]: Name extends keyof Types
    ? [Types[Name], Own[Name]] extends [Own[Name], Types[Name]]
      ? never
      : Name
    : never;
}[keyof Own];
