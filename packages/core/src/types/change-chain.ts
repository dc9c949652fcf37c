import type { Compensating, CompensationOf } from "./compensation.ts";
import type { Computed, TypeIn } from "./computed.ts";
import type { AnyEnv } from "./env.ts";
import type { InputOf, TargetOf, WrittenOutput } from "./job-type-lookups.ts";
import type { ByChainId, ByIdOfType, InTransaction } from "./list-options.ts";
import type { StepTo } from "./next-step.ts";
import type { Refused } from "./refused.ts";
import type { At } from "./table.ts";

/*
 * The calls whose types are computed have names, so that a module that exports one by itself can be emitted. They are aliases and not
 * interfaces, so that an editor shows a call without all job types.
 */

/**
 * The call `completeChain` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const completeChain: CompleteChain<AppEnv> = client.completeChain;
 */
export type CompleteChain<in out E extends AnyEnv> = {
  <const Name extends E["names"], Of extends Computed<unknown> = Computed<OutputFor<E["types"], Name>>>(
    options: ByIdOfType<Name> & { readonly output: NoInfer<TypeIn<Of, Name>> } & InTransaction<E["tx"]>,
  ): Promise<void>;
};

/**
 * The call `continueChain` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const continueChain: ContinueChain<AppEnv> = client.continueChain;
 */
export type ContinueChain<in out E extends AnyEnv> = {
  <const Name extends E["names"], Of extends Computed<unknown> = Computed<StepAfter<E["types"], Name>>>(
    options: ByIdOfType<Name> & { readonly with: NoInfer<TypeIn<Of, Name>> } & InTransaction<E["tx"]>,
  ): Promise<void>;
};

/**
 * The call `retryChain` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const retryChain: RetryChain<AppEnv> = client.retryChain;
 */
export type RetryChain<in out E extends AnyEnv> = {
  <const Name extends E["names"] = never>(options: RetryOf<E["types"], E["tx"], Name>): Promise<void>;
};

/**
 * The call `retryChains` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const retryChains: RetryChains<AppEnv> = client.retryChains;
 */
export type RetryChains<in out E extends AnyEnv> = {
  <const Names extends readonly unknown[]>(
    options: { readonly items: { readonly [Place in keyof Names]: RetryItemOf<E, Names[Place]> } } & InTransaction<
      E["tx"]
    >,
  ): Promise<void>;
};

/* `Name` is inferred from the branch that is not taken once there is a name. */
type RetryOf<Types, Tx, Name extends PropertyKey> = [Name] extends [never]
  ? RetryAsItWas<Name> & InTransaction<Tx>
  : NoInfer<At<RetryCalls<Types, Tx>, Name>>;

/* In a list, the name of an item without one is `unknown`. */
type RetryItemOf<E extends AnyEnv, Name> = unknown extends Name
  ? RetryAsItWas<never> & { readonly typeName?: Name }
  : [Name] extends [E["names"]]
    ? At<Retries<E["types"]>, Name>
    : RetryAsItWas<E["names"]>;

type Retries<Types> = { [Name in keyof Types]: RetryOfStep<Name, InputOf<Types[Name]>> };
type RetryCalls<Types, Tx> = { [Name in keyof Types]: RetryCall<Name, InputOf<Types[Name]>, Tx> };

interface NoWholeChain {
  /** @deprecated Pass `{ id: chain.id }`: the input of a chain that was read is not that of the step where it stopped. */
  readonly createdAt?: Refused<"to retry a chain that was read, pass { id: chain.id }">;
}

/** A retry that names no step. */
interface RetryAsItWas<out Name> extends ByChainId, NoWholeChain {
  readonly typeName?: Name | undefined;
  readonly input?: Refused<"an input replaces that of a step: pass the typeName of that step as well"> | undefined;
}

interface RetryOfStep<out Name, out Input> extends ByChainId, NoWholeChain {
  /** The type of the step where it is believed to have stopped. */
  readonly typeName: Name;
  /** Replaces the input of that step. */
  readonly input?: Input | undefined;
}

/* The transaction is a member, because an intersection would make the compiler's messages longer. */
interface RetryCall<out Name, out Input, out Tx> extends RetryOfStep<Name, Input>, InTransaction<Tx> {}

type OutputFor<Types, Name extends PropertyKey> = At<WrittenOutputs<Types>, Name>;

type WrittenOutputs<Types> = {
  [Name in keyof Types]: "output" extends keyof Types[Name]
    ? WrittenOutput<Types[Name]>
    : Refused<`'${Name & string}' has no output; it can only continue`>;
};

type StepAfter<Types, Name extends PropertyKey> = At<StepsAfter<Types>, Name>;

type StepsAfter<Types> = {
  [Name in keyof Types]: "continueWith" extends keyof Types[Name]
    ? "compensate" extends keyof Types[Name]
      ? StepTo<Types, TargetOf<Types[Name]>> & Compensating<CompensationOf<Types, Types[Name]>>
      : StepTo<Types, TargetOf<Types[Name]>>
    : Refused<`'${Name & string}' ends its chain; it has no continueWith`>;
};
