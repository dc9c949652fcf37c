import type { CompletedBlockers } from "./chain.ts";
import type { CompensatesIn } from "./compensation.ts";
import type { ContinueWith, OwnContinueWith } from "./continue-with.ts";
import type { NotesIn } from "./notes.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { Job } from "./job.ts";
import type {
  HereDefinition,
  OrNothing,
  PlainDefinition,
  SignalledDefinition,
  TargetOf,
  UnnotedDefinition,
} from "./job-type-lookups.ts";
import type { StepTypes } from "./step-types.ts";
import type { SignalledJob } from "./signals.ts";

/* Tables by what the types of a slice have: one comparison for a slice, which instantiates nothing, and not one for each of its types. */
/** For each job type of a slice: the context of its handler and the allowed results. */
export type StepTable<Types, Tx, Own, Form> = Own[keyof Own] extends PlainDefinition
  ? PlainTable<Types, Tx, Own, InputKey<Form>, OutputKey<Form>>
  : Own[keyof Own] extends Unsignalled
    ? BlockedTable<Types, Tx, Own, InputKey<Form>, OutputKey<Form>>
    : Own[keyof Own] extends Uncompensated
      ? SignalledTable<Types, Tx, Own, InputKey<Form>, OutputKey<Form>, PayloadKey<Form>>
      : Own[keyof Own] extends UnnotedDefinition
        ? CompensatingTable<Types, Tx, Own, InputKey<Form>, OutputKey<Form>, PayloadKey<Form>>
        : Own[keyof Own] extends HereDefinition
          ? NotingTable<Types, Tx, Own, InputKey<Form>, OutputKey<Form>, PayloadKey<Form>>
          : StepTable<Types, Tx, Here<Own>, Form>;

/** The types of which this program has handlers. */
type Here<Own> = {
  [Name in keyof Own as Own[Name] extends { readonly elsewhere: true } ? never : Name]: HereOf<Own[Name]>;
};

/* `elsewhere: false` is the same as none. */
type HereOf<Def> = Def extends HereDefinition ? Def : Omit<Def, "elsewhere">;

/* The names of what a handler reads and returns in a definition. */
type InputKey<Form> = Form extends "types" ? "input" : "reads";
type OutputKey<Form> = Form extends "types" ? "output" : "returns";
type PayloadKey<Form> = Form extends "types" ? "signals" : "receives";

interface Uncompensated extends UnnotedDefinition {
  readonly compensate?: undefined;
}

interface Unsignalled extends Uncompensated {
  readonly signals?: undefined;
}

type PlainTable<Types, Tx, Own, InputKey, OutputKey> = {
  readonly [Name in keyof Own]: Step<
    Job<Name, Read<Own[Name], InputKey>, readonly []>,
    Tx,
    Returned<Own[Name], OutputKey>,
    ContinueWith<Types, Name, TargetOf<Own[Name]>>
  >;
};

type BlockedTable<Types, Tx, Own, InputKey, OutputKey> = {
  readonly [Name in keyof Own]: Step<
    Job<Name, Read<Own[Name], InputKey>, BlockersOf<Types, Own[Name]>>,
    Tx,
    Returned<Own[Name], OutputKey>,
    ContinueWith<Types, Name, TargetOf<Own[Name]>>
  >;
};

type SignalledTable<Types, Tx, Own, InputKey, OutputKey, PayloadKey> = {
  readonly [Name in keyof Own]: Step<
    AnyJob<Types, Name, Own[Name], Read<Own[Name], InputKey>, Read<Own[Name], PayloadKey>>,
    Tx,
    Returned<Own[Name], OutputKey>,
    ContinueWith<Types, Name, TargetOf<Own[Name]>>
  >;
};

type CompensatingTable<Types, Tx, Own, InputKey, OutputKey, PayloadKey> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      AnyJob<Types, Name, Own[Name], Read<Own[Name], InputKey>, Read<Own[Name], PayloadKey>>,
      Tx,
      Returned<Own[Name], OutputKey>,
      OwnContinueWith<Types, Name, Own[Name]>
    > &
      CompensatesIn<Types, Own[Name]>,
    Returned<Own[Name], OutputKey>
  >;
};

type NotingTable<Types, Tx, Own, InputKey, OutputKey, PayloadKey> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      AnyJob<Types, Name, Own[Name], Read<Own[Name], InputKey>, Read<Own[Name], PayloadKey>>,
      Tx,
      Returned<Own[Name], OutputKey>,
      OwnContinueWith<Types, Name, Own[Name]>
    > &
      CompensatesIn<Types, Own[Name]> &
      NotesIn<Own[Name], InputKey>,
    Returned<Own[Name], OutputKey>
  >;
};

type Read<Def, Key> = Def[Key & keyof Def];

type Returned<Def, Key> = OrNothing<Def[Key & keyof Def]>;

// oxlint-disable-next-line typescript/no-redundant-type-constituents -- an alias of an interface alone is resolved once more for each type
type Step<OwnJob, Tx, Output, Next> = StepTypes<HandlerContext<OwnJob, Tx, Output, Next>, Output> & unknown;

type AnyJob<Types, Name, Def, Input, Signals> = Def extends SignalledDefinition
  ? SignalledJob<Name, Input, Signals>
  : Job<Name, Input, BlockersOf<Types, Def>>;

type BlockersOf<Types, Def> = "blockers" extends keyof Def
  ? CompletedBlockers<Types, Def["blockers" & keyof Def]>
  : readonly [];
