import type { CompletedBlockers } from "./chain.ts";
import type { CompensatesIn } from "./compensation.ts";
import type { ContinueWith, OwnContinueWith } from "./continue-with.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { OrNothing, PlainDefinition, TargetOf } from "./job-type-lookups.ts";
import type { StepTypes } from "./processor.ts";
import type { ReceivedOf, SignalledContext } from "./signals.ts";

/* Tables by what the types of a slice have: one comparison for a slice, which instantiates nothing, and not one for each of its types. */
/** For each job type of a slice: the context of its handler and the allowed results. */
export type StepTable<Types, Tx, Own, Form> = Own[keyof Own] extends PlainDefinition
  ? PlainTable<Types, Tx, Own, Form>
  : Own[keyof Own] extends Unsignalled
    ? BlockedTable<Types, Tx, Own, Form>
    : Own[keyof Own] extends Uncompensated
      ? SignalledTable<Types, Tx, Own, Form>
      : CompensatingTable<Types, Tx, Own, Form>;

/* With a property that every definition has: the compiler refuses a type that shares none with a type of which all are optional. */
interface Uncompensated {
  readonly input?: unknown;
  readonly compensate?: undefined;
}

interface Unsignalled extends Uncompensated {
  readonly signals?: undefined;
}

type PlainTable<Types, Tx, Own, Form> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      Name,
      ReadInput<Own[Name], Form>,
      readonly [],
      Tx,
      ReturnedOutput<Own[Name], Form>,
      ContinueWith<Types, Name, TargetOf<Own[Name]>>
    >,
    ReturnedOutput<Own[Name], Form>
  >;
};

type BlockedTable<Types, Tx, Own, Form> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      Name,
      ReadInput<Own[Name], Form>,
      BlockersOf<Types, Own[Name]>,
      Tx,
      ReturnedOutput<Own[Name], Form>,
      ContinueWith<Types, Name, TargetOf<Own[Name]>>
    >,
    ReturnedOutput<Own[Name], Form>
  >;
};

type SignalledTable<Types, Tx, Own, Form> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      Name,
      ReadInput<Own[Name], Form>,
      BlockersOf<Types, Own[Name]>,
      Tx,
      ReturnedOutput<Own[Name], Form>,
      ContinueWith<Types, Name, TargetOf<Own[Name]>>
    > &
      SignalledIn<Own[Name], Form>,
    ReturnedOutput<Own[Name], Form>
  >;
};

type CompensatingTable<Types, Tx, Own, Form> = {
  readonly [Name in keyof Own]: StepTypes<
    HandlerContext<
      Name,
      ReadInput<Own[Name], Form>,
      BlockersOf<Types, Own[Name]>,
      Tx,
      ReturnedOutput<Own[Name], Form>,
      OwnContinueWith<Types, Name, Own[Name]>
    > &
      SignalledIn<Own[Name], Form> &
      CompensatesIn<Types, Own[Name]>,
    ReturnedOutput<Own[Name], Form>
  >;
};

/** What the signals of a type add to the context of its handler. */
type SignalledIn<Def, Form> = "signals" extends keyof Def
  ? SignalledContext<ReceivedOf<ReadPayloads<Def, Form>>>
  : unknown;

type ReadPayloads<Def, Form> = Def[(Form extends "types" ? "signals" : "receives") & keyof Def];

type ReadInput<Def, Form> = Def[(Form extends "types" ? "input" : "reads") & keyof Def];

type ReturnedOutput<Def, Form> = OrNothing<Def[(Form extends "types" ? "output" : "returns") & keyof Def]>;

type BlockersOf<Types, Def> = "blockers" extends keyof Def
  ? CompletedBlockers<Types, Def["blockers" & keyof Def]>
  : readonly [];
