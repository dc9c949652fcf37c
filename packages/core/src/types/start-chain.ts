import type { StartedChainOf } from "./chain.ts";
import type { Computed, TypeIn } from "./computed.ts";
import type { AnyEnv, Env } from "./env.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { InTransaction } from "./list-options.ts";
import type { ChainStart, Starts } from "./next-step.ts";
import type { Refused } from "./refused.ts";
import type { SignalNames, SignalsTo, WaitingOptions } from "./signals.ts";
import type { At } from "./table.ts";

/*
 * The calls of a client and of a `Starter` are instances of one declaration, with two forms of options. The compiler compares such
 * instances without their type parameters, so a client is assignable to a starter of some of its types; it could not compare their
 * options. They are aliases and not interfaces, so that an editor shows a call without all job types.
 */

/**
 * The call `startChain` of a client with these types, such as a module may export by itself.
 *
 * @example
 * const startChain: StartChain<TypesOf<typeof client>, never> = client.startChain;
 * await startChain({ typeName: "mail.send", input: { to } });
 */
export type StartChain<in out Types, in Tx> = Start<Types, Tx, Env<Types, Tx>["entries"] | (string & {}), "named">;

/**
 * The call `startChains` of a client with these types, such as a module may export by itself.
 *
 * @example
 * const startChains: StartChains<TypesOf<typeof client>, never> = client.startChains;
 * await startChains({ items: [{ typeName: "mail.send", input: { to } }] });
 */
export type StartChains<in out Types, in Tx> = StartMany<Types, Tx, Env<Types, Tx>["entries"]>;

/** Starts a chain of one of some types. `string & {}` allows every name, so that the error about a wrong one can be a sentence. */
export type Start<Types, Tx, Names, Form> = {
  <const Name extends Names, Of extends Computed = Computed<StartChainOptions<Types, Tx, Name>>, Keys = never>(
    options: Form extends "named"
      ? NamedOptions<Name, Keys, Of>
      : GenericStart<Types, Name & keyof Types> & StartExtras<Types, Tx>,
  ): Promise<Started<Types, Name>>;
};

/** Starts several chains. */
export type StartMany<Types, Tx, Names> = {
  <const Given extends readonly Names[]>(
    options: { readonly items: { readonly [Place in keyof Given]: ItemOf<Types, Given[Place]> } } & InTransaction<Tx>,
  ): Promise<{ readonly [Place in keyof Given]: Started<Types, Given[Place]> }>;
};

/*
 * Behind `[Types] extends [infer T]` the compiler compares only `Types`: otherwise it would compare the inputs of an unknown name. A
 * starter says by `declared` which definitions a client must have.
 */
type Started<Types, Name> = [Types] extends [infer T]
  ? StartedChainOf<T, (Name extends Env<T, unknown>["entries"] ? Name : Env<T, unknown>["entries"]) & PropertyKey>
  : never;

/*
 * `Name` is inferred from the branch that is never taken; the compiler then computes the options once, and for that name only. `Keys` is
 * inferred there as well: the names of the options that the start has.
 */
type NamedOptions<Name, Keys, Of extends Computed> = [Name] extends [never]
  ? { readonly typeName: Name } & { readonly [Key in Keys & PropertyKey]: unknown }
  : [Keys & ("debounce" | "throttle")] extends [never]
    ? NoInfer<TypeIn<Of, Name>>
    : ExclusiveOptions<Name, Keys & Exclusive, Of>;

type Exclusive = "deduplication" | "debounce" | "throttle";

/* A variable of a type that has all three may have any one of them. */
type ExclusiveOptions<Name, Keys, Of extends Computed> = [Exclusive] extends [Keys]
  ? NoInfer<TypeIn<Of, Name>>
  : ["debounce" | "throttle"] extends [Keys]
    ? TwoKeys<Name, "throttle">
    : ["deduplication"] extends [Keys]
      ? TwoKeys<Name, Exclude<Keys, "deduplication">>
      : NoInfer<TypeIn<Of, Name>>;

/** Replaces the options of a start with two of the options that exclude each other. */
type TwoKeys<Name, Second> = {
  readonly [Option in Second & string]: Refused<"a start takes only one of deduplication, debounce and throttle">;
} & { readonly typeName: Name; readonly [option: string]: unknown };

/** The options of `startChain`. */
export type StartChainOptions<Types, Tx, Name> = Name extends Env<Types, Tx>["entries"]
  ? At<Starts<Types>, Name & PropertyKey> & StartExtras<Types, Tx>
  : string extends Name
    ? /* A constant with a name, which the compiler has widened. */ At<Starts<Types>, Env<Types, Tx>["entries"]> &
        StartExtras<Types, Tx>
    : NotAnEntry<Env<Types, Tx>, Name>;

/* Without a name, because an editor and a message would show the name with all job types. */
/** What the options of a start have beside those of its type. */
type StartExtras<Types, Tx> = InTransaction<Tx> & {
  /** Signals that reach the chain with the start: the new one, or the active one that holds its deduplication key. */
  readonly signals?: readonly SignalsTo<Types>[keyof Types][] | undefined;
};

/** The start of a chain whose type is a type parameter of the caller. The table of starts cannot be read at an unknown name. */
type GenericStart<Types, Name extends keyof Types> = ChainStart<Name, InputOf<Types[Name]>> &
  BlockersParts<Types>[Name];

type BlockersParts<Types> = {
  [Name in keyof Types]: "blockers" extends keyof Types[Name]
    ? Pick<Starts<Types>[Name], keyof Starts<Types>[Name] & ("blockers" | "onBlockerFailure")>
    : "signals" extends keyof Types[Name]
      ? WaitingOptions<SignalNames<Types[Name]>>
      : {};
};

/** Replaces the options of a start whose type cannot be started. To a union of names the compiler adds which one was meant. */
interface NotAnEntry<in out E extends AnyEnv, in out Name> {
  readonly typeName: Name extends E["names"] & string
    ? Refused<`'${Name}' is not an entry; declare it with entry: true to start it`>
    : [E["entries"]] extends [never]
      ? Refused<`'${Name & string}' is not a job type`>
      : E["entries"];
  readonly [option: string]: unknown;
}

/* The name is a property of its own, so that the compiler can infer it. */
type ItemOf<Types, Name> = { readonly typeName: Name } & At<Starts<Types>, Name & PropertyKey>;
