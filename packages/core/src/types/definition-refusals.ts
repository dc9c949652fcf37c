import type { AcceptingName, EntryName, InputOf, OutputOf, TargetOf } from "./job-type-lookups.ts";
import type { Culprit, IsJson, Json } from "./json-payload.ts";

/**
 * What is wrong with a slice's definitions, as sentences; `never` when nothing is.
 *
 * A correct definition costs one comparison, because it fits `Sound`. Only the others are checked rule by rule.
 */
export type Refusals<Own, External> =
  | Unsound<Own, Own & External, Sound<keyof Own | keyof External>>
  | Clashes<Own, External>;

type Unsound<Own, Known, Right> = {
  [Name in keyof Own]: Own[Name] extends Right
    ? keyof Own[Name] extends DefinitionKey
      ? never
      : Findings<Known, Name & string, Own[Name]>
    : Findings<Known, Name & string, Own[Name]>;
}[keyof Own];

type Sound<Names> = LastStep<Names> | MiddleStep<Names>;

/** A step that may end its chain, and may continue it. */
interface LastStep<in out Names> {
  readonly entry?: boolean;
  readonly input: Json;
  readonly output: Json;
  readonly continueWith?: Names;
  readonly blockers?: undefined;
}

/** A step that always continues its chain. */
interface MiddleStep<in out Names> {
  readonly entry?: boolean;
  readonly input: Json;
  readonly output?: undefined;
  readonly continueWith: Names;
  readonly blockers?: undefined;
}

type DefinitionKey = "entry" | "input" | "output" | "continueWith" | "blockers" | "accepts" | "returns";

type Findings<Known, Name extends string, Def> =
  | UnknownKeys<Name, Exclude<keyof Def, DefinitionKey>>
  | ("input" extends keyof Def ? PayloadFinding<Name, "input", InputOf<Def>> : `'${Name}' has no input`)
  | ("output" extends keyof Def ? PayloadFinding<Name, "output", OutputOf<Def>> : never)
  | ([Extract<keyof Def, "output" | "continueWith">] extends [never]
      ? `'${Name}' has neither an output nor a continueWith; a last step needs an output`
      : never)
  | TargetFinding<Known, Name, TargetOf<Def>>
  | ("blockers" extends keyof Def ? BlockersFinding<Known, Name, Def["blockers" & keyof Def]> : never);

type UnknownKeys<Name extends string, Key> = Key extends string
  ? `'${Name}' has '${Key}', which no job type has`
  : never;

type PayloadFinding<Name extends string, Key extends string, Payload> =
  IsJson<Payload> extends true ? never : `the ${Key} of '${Name}' holds what JSON cannot carry${Culprit<Payload>}`;

type TargetFinding<Known, Name extends string, Target> = Target extends keyof Known
  ? never
  : Target extends string
    ? `'${Target}' is not a job type; '${Name}' continues to it`
    : Target extends { readonly input: infer Shape }
      ? [AcceptingName<Known, Shape>] extends [never]
        ? `no job type accepts the input that '${Name}' continues with`
        : never
      : `'${Name}' continues with something that is neither a name nor { input: ... }`;

type BlockersFinding<Known, Name extends string, Blockers> = Blockers extends readonly unknown[]
  ? BlockerFinding<Known, Name, EntryName<Known>, Blockers[number]>
  : `the blockers of '${Name}' are not a tuple of names`;

type BlockerFinding<Known, Name extends string, Entries, Blocker> = Blocker extends Entries
  ? never
  : Blocker extends keyof Known & string
    ? `'${Blocker}' is not an entry; '${Name}' is blocked by it`
    : Blocker extends string
      ? `'${Blocker}' is not a job type; '${Name}' is blocked by it`
      : `the blockers of '${Name}' are not a tuple of names`;

/** A name of this slice that an external one has as well. */
type Clashes<Own, External> =
  Extract<keyof Own, keyof External> extends infer Name extends string
    ? `'${Name}' is defined by this slice and by an external one`
    : never;
