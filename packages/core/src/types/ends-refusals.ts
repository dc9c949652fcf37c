import type { FirstOf } from "./first-of.ts";
import type { EntryName, InputOf } from "./job-type-lookups.ts";
import type { StoppedChain } from "./stopped-chain.ts";

/** A definition that says nothing about its end, as most do. A comparison with it instantiates nothing. */
export interface Endless {
  /* The compiler compares a type without a common property as if it were a mistake. */
  readonly input?: unknown;
  readonly compensate?: undefined;
  readonly whenStopped?: undefined;
}

/** What is wrong with the `whenStopped` or the `compensate` of a definition that has one, as a sentence; `never` when nothing is. */
export type EndsRefusal<Known, Name extends string, Def> = FirstOf<
  | ("whenStopped" extends keyof Def ? StoppedFinding<Known, Name, Def, Def["whenStopped"]> : never)
  | ("compensate" extends keyof Def ? CompensateFinding<Known, Name, NamesIn<Def["compensate"]>> : never)
>;

type NamesIn<Names> = Names extends readonly (infer Name)[] ? Name : Names;

type StoppedFinding<Known, Name extends string, Def, Target> = Def extends { readonly entry: true }
  ? [TargetFinding<Known, Name, Target, "whenStopped">] extends [never]
    ? StoppedChain<InputOf<Def>> extends InputOf<Known[Target & keyof Known]>
      ? never
      : `'${Target & string}' takes another input than the StoppedChain of '${Name}', which names it as its whenStopped`
    : TargetFinding<Known, Name, Target, "whenStopped">
  : `'${Name}' has a whenStopped, but is not an entry; declare it with entry: true`;

type CompensateFinding<Known, Name extends string, Target> = Target extends Name
  ? `'${Name}' cannot compensate itself`
  : TargetFinding<Known, Name, Target, "compensate">;

type TargetFinding<Known, Name extends string, Target, Option extends string> = Target extends keyof Known & string
  ? Target extends EntryName<Known>
    ? "blockers" extends keyof Known[Target]
      ? `'${Target}' waits for blockers; '${Name}' cannot name it as its ${Option}`
      : never
    : `'${Target}' is not an entry; '${Name}' names it as its ${Option}`
  : Target extends string
    ? `'${Target}' is not a job type; '${Name}' names it as its ${Option}`
    : `the ${Option} of '${Name}' must be the name of a job type`;
