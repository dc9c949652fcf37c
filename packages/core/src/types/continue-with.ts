import type { Compensating, CompensationOf } from "./compensation.ts";
import type { TargetOf } from "./job-type-lookups.ts";
import type { StepTo } from "./next-step.ts";
import type { Continuation } from "./step-result.ts";

/** The `continueWith` of a job type, by what it declares as targets. */
export type ContinueWith<Types, Name, Target> = ContinueWithOneOf<StepTo<Types, Target>, Name>;

/** The `continueWith` of a job type that may declare a `compensate`. */
export type OwnContinueWith<Types, Name, Def> = "compensate" extends keyof Def
  ? ContinueWithOneOf<StepTo<Types, TargetOf<Def>> & Compensating<CompensationOf<Types, Def>>, Name>
  : ContinueWith<Types, Name, TargetOf<Def>>;

/*
 * Three signatures, because inferring what was passed costs seventy instantiations a call, and is only needed for a sentence
 * about blockers.
 */
type ContinueWithOneOf<Next, Name> =
  "typeName" extends KeysOf<Next>
    ? "blockers" extends KeysOf<Next>
      ? ContinueToBlocked<Next>
      : ContinueTo<Next>
    : ContinueNowhere<Name>;

type KeysOf<Next> = Next extends unknown ? keyof Next : never;

/** Continues the chain with another step: return its result. */
export interface ContinueTo<in out Next> {
  (next: Next): Continuation;
}

/** Continues the chain with another step: return its result. */
export interface ContinueToBlocked<in out Next> {
  <const Given, Wanted = Given extends Next ? Next : WrongBlockers<Next, Given>>(
    next: Passed<Given, Wanted> | Context<Next, Given>,
  ): Continuation;
}

/** A last step has no next step. */
export interface ContinueNowhere<in out Name> {
  (next: `'${Name & string}' ends its chain; declare a continueWith to continue it`): Continuation;
}

/* `Given` is inferred from the branch that is never taken. */
type Passed<Given, Wanted> = [Given] extends [never] ? Given : NoInfer<Wanted>;

/*
 * Until it is known, this is what gives the argument its context. Without it, a name in
 * `files.map((path) => ({ typeName: "file", ... }))` would be a string.
 */
type Context<Next, Given> = unknown extends Given ? NoInfer<Next> : never;

/**
 * Sentences in place of blockers of the wrong types; where anything else is wrong the declared type, and so the
 * compiler's own words.
 */
type WrongBlockers<Next, Given> = Given extends {
  readonly typeName: infer Name extends string;
  readonly blockers: infer Passed extends readonly unknown[];
}
  ? Extract<Next, { readonly typeName: Name }> extends { readonly blockers: infer Wanted extends readonly unknown[] }
    ? [Misplaced<Name, Wanted, Passed>[number]] extends [never]
      ? Named<Next, Name>
      : JudgedBlockers<Wanted, Passed, Misplaced<Name, Wanted, Passed>>
    : Named<Next, Name>
  : Given extends { readonly typeName: infer Name }
    ? Named<Next, Name>
    : Next;

type Named<Next, Name> = [Extract<Next, { readonly typeName: Name }>] extends [never]
  ? Next
  : Extract<Next, { readonly typeName: Name }>;

/* Only the blockers are checked: one of them is certainly wrong, and that is enough for a first message. */
interface JudgedBlockers<
  in out Wanted extends readonly unknown[],
  in out Passed extends readonly unknown[],
  in out Sentences extends readonly unknown[],
> {
  readonly blockers: {
    readonly [Place in keyof Passed]: Place extends keyof Sentences
      ? [Sentences[Place]] extends [never]
        ? ElementAt<Wanted, Place>
        : Sentences[Place]
      : never;
  };
  readonly [option: string]: unknown;
}

/** For each blocker passed a sentence when another type belongs in its place, and never when it is right. */
type Misplaced<Name extends string, Wanted extends readonly unknown[], Passed extends readonly unknown[]> = {
  [Place in keyof Passed]: [ElementAt<Wanted, Place>, Passed[Place]] extends [
    { readonly typeName: infer Right extends string },
    { readonly typeName: infer Given extends string },
  ]
    ? Given extends Right
      ? never
      : `blocker ${Place & string} of '${Name}' is a '${Right}', not a '${Given}'`
    : never;
};

type ElementAt<List extends readonly unknown[], Place> = Place extends `${infer Index extends number}`
  ? List[Index]
  : List[number];
