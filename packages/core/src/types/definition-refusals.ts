import type { BlockerNames } from "./blocker-names.ts";
import type { FirstOf } from "./first-of.ts";
import type { AcceptingName } from "./accepting-name.ts";
import type { Endless, EndsRefusal } from "./ends-refusals.ts";
import type { EntryName, InputOf, OutputOf, PlainDefinition, TargetOf, UnnotedDefinition } from "./job-type-lookups.ts";
import type { IsJson, Json, JsonFault } from "./json-payload.ts";

/**
 * The first thing that is wrong with a slice's definitions, as a sentence; `never` when nothing is. One sentence, because the
 * compiler would show several as the type that makes them, with all declarations.
 *
 * A correct definition costs one comparison, because it fits `Sound`. Only the others are checked rule by rule.
 */
export type Refusal<Own, External, Key = DefinitionKey> = unknown extends Own
  ? NoDefinitions
  : [Unsound<Own, Own & External, Sound<keyof Own | keyof External>, Key>] extends [never]
    ? Clash<Extract<keyof Own, keyof External>>
    : FindingOf<
        Own,
        Own & External,
        FirstOf<Unsound<Own, Own & External, Sound<keyof Own | keyof External>, Key>>,
        Key
      >;

/** The sentence for types that were left out, or are `any` or `unknown`. */
export type NoDefinitions =
  "defineJobTypes needs the definitions: as its type argument, defineJobTypes<{ ... }>(); with schemas, defineJobTypes({ ... }); or in JavaScript with JSDoc, @type {JobTypes<{ ... }>}";

/** The names of the wrong definitions. */
type Unsound<Own, Known, Right, Key> = {
  [Name in keyof Own]: Own[Name] extends Right
    ? keyof Own[Name] extends Key
      ? never
      : Name
    : [Finding<Known, Name & string, Own[Name], Key>] extends [never]
      ? never
      : Name;
}[keyof Own];

type FindingOf<Own, Known, Name, Key> = Name extends keyof Own & string ? Finding<Known, Name, Own[Name], Key> : never;

type Sound<Names> = LastStep<Names> | MiddleStep<Names>;

/** A step that may end its chain, and may continue it. */
interface LastStep<in out Names> {
  readonly entry?: boolean;
  readonly input: Json;
  readonly output: Json | void;
  readonly continueWith?: Names | readonly Names[];
  readonly blockers?: undefined;
  readonly signals?: SoundSignals;
  readonly checkpoint?: Json;
  readonly progress?: Json;
  readonly compensate?: undefined;
  readonly whenStopped?: undefined;
  readonly elsewhere?: boolean;
}

/** A step that always continues its chain. */
interface MiddleStep<in out Names> {
  readonly entry?: boolean;
  readonly input: Json;
  readonly output?: undefined;
  readonly continueWith: Names | readonly Names[];
  readonly blockers?: undefined;
  readonly signals?: SoundSignals;
  readonly checkpoint?: Json;
  readonly progress?: Json;
  readonly compensate?: undefined;
  readonly whenStopped?: undefined;
  readonly elsewhere?: boolean;
}

interface SoundSignals {
  readonly [signal: string]: Json;
}

type DefinitionKey =
  | "entry"
  | "input"
  | "output"
  | "continueWith"
  | "blockers"
  | "signals"
  | "checkpoint"
  | "progress"
  | "compensate"
  | "whenStopped"
  | "elsewhere";

/** What a definition may have that is made from schemas. */
export type SchemaDefinitionKey = DefinitionKey | "reads" | "returns" | "receives" | "resumes";

/* The rules in the order of their sentences: a misspelt `inputs` is not reported as a missing `input`. */
type Finding<Known, Name extends string, Def, Key> = [Exclude<keyof Def, Key>] extends [never]
  ? "input" extends keyof Def
    ? IsJson<InputOf<Def>> extends true
      ? [ResultFinding<Known, Name, Def>] extends [never]
        ? Def extends UnnotedDefinition
          ? Def extends Endless
            ? never
            : EndsRefusal<Known, Name, Def>
          : [NotesFinding<Name, Def>] extends [never]
            ? EndsRefusal<Known, Name, Def>
            : NotesFinding<Name, Def>
        : ResultFinding<Known, Name, Def>
      : `the input of '${Name}'${JsonFault<InputOf<Def>>}`
    : `'${Name}' has no input`
  : `'${Name}' has '${FirstOf<Exclude<keyof Def, Key>> & string}', which no job type has; it may have entry, input, output, continueWith, blockers, signals, checkpoint, progress, compensate, whenStopped and elsewhere`;

/* A handler that returns nothing has the output null. */
type ResultFinding<Known, Name extends string, Def> =
  IsJson<Exclude<OutputOf<Def>, void>> extends true
    ? [Extract<keyof Def, "output" | "continueWith">] extends [never]
      ? `'${Name}' has neither an output nor a continueWith; a last step needs an output`
      : [TargetFinding<Known, Name, TargetOf<Def>>] extends [never]
        ? Def extends PlainDefinition
          ? never
          : "blockers" extends keyof Def
            ? "signals" extends keyof Def
              ? `'${Name}' has signals and blockers; let a step before it wait for the blockers`
              : FirstOf<BlockersFinding<Known, Name, Def["blockers" & keyof Def]>>
            : SignalsFinding<Name, Def["signals" & keyof Def]>
        : FirstOf<TargetFinding<Known, Name, TargetOf<Def>>>
    : `the output of '${Name}'${JsonFault<Exclude<OutputOf<Def>, void>>}`;

type NotesFinding<Name extends string, Def> =
  IsJson<Def["checkpoint" & keyof Def]> extends true
    ? IsJson<Def["progress" & keyof Def]> extends true
      ? never
      : `the progress of '${Name}'${JsonFault<Def["progress" & keyof Def]>}`
    : `the checkpoint of '${Name}'${JsonFault<Def["checkpoint" & keyof Def]>}`;

type SignalsFinding<Name extends string, Signals> = [Signals] extends [never]
  ? never
  : [Signals] extends [object]
    ? [keyof Signals] extends [never]
      ? NoSignals<Name>
      : FirstOf<{ [Key in keyof Signals]: PayloadFinding<Name, Key & string, Signals[Key]> }[keyof Signals]>
    : NoSignals<Name>;

type NoSignals<Name extends string> = `the signals of '${Name}' must be an object with a payload for each name`;

type PayloadFinding<Name extends string, Signal extends string, Payload> =
  IsJson<Payload> extends true ? never : `the payload of signal '${Signal}' of '${Name}'${JsonFault<Payload>}`;

type TargetFinding<Known, Name extends string, Target> = Target extends keyof Known
  ? never
  : Target extends string
    ? `'${Target}' is not a job type; '${Name}' continues to it`
    : Target extends { readonly input: infer Shape }
      ? [AcceptingName<Known, Shape>] extends [never]
        ? `no job type accepts the input that '${Name}' continues with`
        : never
      : Target extends readonly (infer Item)[]
        ? TargetFinding<Known, Name, Item>
        : `'${Name}' continues with something that is neither a name nor { input: ... }, nor an array of these`;

type BlockersFinding<Known, Name extends string, Blockers> = Blockers extends readonly unknown[]
  ? BlockerFinding<Known, Name, EntryName<Known>, BlockerNames<Blockers>[number]>
  : NoTuple<Name>;

type BlockerFinding<Known, Name extends string, Entries, Blocker> = Blocker extends Entries
  ? never
  : Blocker extends keyof Known & string
    ? `'${Blocker}' is not an entry; '${Name}' is blocked by it`
    : Blocker extends string
      ? string extends Blocker
        ? NoTuple<Name>
        : `'${Blocker}' is not a job type; '${Name}' is blocked by it`
      : NoTuple<Name>;

type NoTuple<Name extends string> =
  `the blockers of '${Name}' must be a tuple of names; only in its last place it may have any number of a type`;

/** A name of this slice that an external one has as well. */
type Clash<Names> = [Names] extends [never]
  ? never
  : `'${FirstOf<Names> & string}' is defined by this slice and by an external one`;
