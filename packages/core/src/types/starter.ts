import type { ChainOf, CompletedChainOf } from "./chain.ts";
import type { Client } from "./client.ts";
import type { Declared, declared } from "./declared.ts";
import type { Env } from "./env.ts";
import type { Joined, MergedTypes } from "./job-types.ts";
import type { ByIdOfType, ByKeyOfType, InTransaction } from "./list-options.ts";
import type { WaitOptions } from "./read-calls.ts";
import type { Starts } from "./next-step.ts";
import type { Start, StartMany } from "./start-chain.ts";
import type { At } from "./table.ts";

/**
 * The job types of a slice, of an array of slices, or of a client: names with their definitions.
 *
 * @example
 * type Orders = TypesOf<typeof orderJobTypes>;
 * type Charge = TypesOf<typeof client>["order.charge"]["input"];
 */
export type TypesOf<Source> = Source extends Client<infer E> ? E["types"] : MergedTypes<Source>;

/**
 * The start of a chain of one of these types, as `client.startChain` takes it: a union, for a client with several types.
 *
 * @example
 * const starts: StartOf<typeof client, "mail.send">[] = [{ typeName: "mail.send", input: { to } }];
 * await client.startChains({ items: starts });
 */
export type StartOf<C, Name extends EntriesOf<C> = EntriesOf<C>> =
  C extends Client<Env<infer Types, infer _Tx>> ? At<Starts<Types>, Name & PropertyKey> : never;

type EntriesOf<C> = C extends Client<infer E> ? E["entries"] : never;

/**
 * Any client that has at least the job types of a slice, whichever others it has: for a package that starts its own types with the
 * client of the application. In it, `startChain` can be called with a type that is a type parameter.
 *
 * @example
 * export const send = async (client: StarterOf<typeof mailJobTypes>, to: string) =>
 *   await client.startChain({ typeName: "mail.send", input: { to } });
 * await send(client, "ada@example.org");
 */
export type StarterOf<Source, Tx = never> = Starter<TypesOf<Source>, Tx>;

/** The calls of a {@link StarterOf}. `Tx` is the transaction handle that its calls accept; without it they are given none. */
export interface Starter<Types, Tx = never> {
  /** Starts a chain, as `client.startChain`. */
  readonly startChain: Start<Types, Tx, Env<Types, Tx>["entries"], "generic">;
  /** Starts several chains, all or none, as `client.startChains`. */
  readonly startChains: StartMany<Types, Tx, Env<Types, Tx>["entries"]>;
  /** Waits until a chain has completed, as `client.awaitChain`. */
  readonly awaitChain: Joined<Waits<Types>[keyof Types]>;
  /** Returns a chain, as `client.getChain`. */
  readonly getChain: Joined<Reads<Types, Tx>[keyof Types]>;
  /** Types only: a client that declares one of these types otherwise is refused. */
  readonly [declared]?: Declared<Types>;
}

/* One call for each entry: the compiler can compare those with the calls of a client, whose types it infers. */
type Waits<Types> = {
  [Name in keyof Types]: Types[Name] extends { readonly entry: true }
    ? (
        chain: ByIdOfType<Name>,
        wait?: WaitOptions,
      ) => Promise<CompletedChainOf<Env<Types, unknown>, Name & PropertyKey>>
    : never;
};

type Reads<Types, Tx> = {
  [Name in keyof Types]: Types[Name] extends { readonly entry: true }
    ? (
        options: (ByIdOfType<Name> | ByKeyOfType<Name>) & InTransaction<Tx>,
      ) => Promise<ChainOf<Env<Types, unknown>, Name & PropertyKey> | undefined>
    : never;
};
