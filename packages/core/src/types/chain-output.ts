import type { AcceptingName } from "./accepting-name.ts";
import type { OutputOf, StoredOutput, TargetOf } from "./job-type-lookups.ts";
import type { At, Shown } from "./table.ts";

/** What a chain that starts with `Name` may end with: the outputs of all last steps that can be reached from it. */
export type ChainOutput<Types, Name extends keyof Types> = "continueWith" extends keyof Types[Name]
  ? StoredOutput<OutputOf<Types[Name]> | OutputsFrom<Types, After<Types, Name>>>
  : StoredOutput<OutputOf<Types[Name]>>;

/* Begins after the first step: where many types continue with the same ones, they share one walk. */
type OutputsFrom<Types, Names> = OutputsOf<Types, Reachable<Types, Names, never>>;

type OutputsOf<Types, Names> = Shown<Outputs<Types>, Names & PropertyKey>;

type Outputs<Types> = { [Name in keyof Types]: OutputOf<Types[Name]> };
type Targets<Types> = { [Name in keyof Types]: TargetName<Types, TargetOf<Types[Name]>> };

/** A structural target means every type that accepts it. */
type TargetName<Types, Target> = Target extends PropertyKey
  ? Target
  : Target extends { readonly input: infer Shape }
    ? AcceptingName<Types, Shape>
    : Target extends readonly (infer Item)[]
      ? TargetName<Types, Item>
      : never;

/*
 * A breadth-first walk: `Frontier` holds steps not yet followed, `Seen` those that were. The recursion is in tail position,
 * which the compiler runs as a loop of at most 1,000 rounds, so a round takes eight steps at a time: chains may be 8,000
 * steps long. Each step is followed once: the cost is linear in the steps reached.
 */
type Reachable<Types, Frontier, Seen> = [Frontier] extends [never]
  ? Seen
  : Reachable<
      Types,
      Exclude<After4<Types, After4<Types, Frontier>>, Seen | Within8<Types, Frontier>>,
      Seen | Within8<Types, Frontier>
    >;

type Within8<Types, Names> = Within4<Types, Names> | Within4<Types, After4<Types, Names>>;
type Within4<Types, Names> =
  | Names
  | After<Types, Names>
  | After<Types, After<Types, Names>>
  | After<Types, After<Types, After<Types, Names>>>;
type After4<Types, Names> = After<Types, After<Types, After<Types, After<Types, Names>>>>;

/* The next steps of a step. A conditional type, because the compiler caches its results, and each is used several times. */
type After<Types, Name> = Name extends PropertyKey ? At<Targets<Types>, Name> : never;
