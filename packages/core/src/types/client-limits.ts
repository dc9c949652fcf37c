import type { LimitSlice } from "../model/limit.ts";
import type { DifferentTypes } from "./client-versions.ts";
import type { FirstOf } from "./first-of.ts";
import type { MergedTypes } from "./job-types.ts";
import type { Limits } from "./limits.ts";

/** The limits that a client is given, or a sentence about their error. Without any it costs two comparisons. */
export type CheckedLimits<Slices, Given> = unknown extends Given
  ? readonly LimitSlice[]
  : Given extends readonly []
    ? Given
    : LimitsRefusal<MergedTypes<Slices>, Given> extends infer Sentence
      ? [Sentence] extends [never]
        ? NoInfer<Given>
        : Sentence
      : never;

type LimitsRefusal<Types, Given> = Given extends readonly [infer First, ...infer Rest]
  ? First extends Limits<infer Own, infer Names>
    ? [OneRefusal<Types, Own, Extract<Names, NamesOf<Rest[number]>>>] extends [never]
      ? LimitsRefusal<Types, Rest>
      : OneRefusal<Types, Own, Extract<Names, NamesOf<Rest[number]>>>
    : "limits must be results of defineLimits"
  : never;

type NamesOf<Item> = Item extends Limits<infer _Types, infer Names> ? Names : never;

type OneRefusal<Types, Own, Twice> = [Twice] extends [never]
  ? [Exclude<keyof Own, keyof Types>] extends [never]
    ? [DifferentTypes<Types, Own>] extends [never]
      ? never
      : `the client defines '${FirstOf<DifferentTypes<Types, Own>> & string}' differently; give createClient and defineLimits the same slice`
    : `'${FirstOf<Exclude<keyof Own, keyof Types>> & string}' has a limit, but is not a job type of the client; give its slice to createClient`
  : `the limit '${FirstOf<Twice> & string}' is defined by two of these; give one of them another name`;
