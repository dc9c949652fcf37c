import type { Computed, TypeIn } from "./computed.ts";
import type { AnyEnv } from "./env.ts";
import type { ByChainId, InTransaction, Page, PageOptions } from "./list-options.ts";
import type { Refused } from "./refused.ts";
import type { SignalsTo, StoredSignalInfo } from "./signals.ts";
import type { At } from "./table.ts";

/* An alias; see `StartCalls`. */
/** The client's calls that send signals to chains, and list them. */
export type SignalCalls<in out E extends AnyEnv> = {
  /**
   * Sends a signal to a step of a chain. A step that waits takes it; otherwise the chain keeps it for the next step of that type that
   * waits, the oldest first.
   *
   * @returns `delivered`: whether a step has `taken` it, the chain keeps it (`buffered`), or has one with its `signalId` (`deduplicated`)
   * @throws `chain-not-active`, `chain-not-found`, `unknown-signal`, `too-many-signals`, `invalid-input`
   * @example
   * const { delivered } = await client.signalChain({
   *   id,
   *   typeName: "order.approve",
   *   signal: "approved",
   *   payload: { by: "Grace" },
   *   signalId: delivery.id, // a webhook that is delivered twice has one effect
   * });
   */
  readonly signalChain: SignalChain<E>;
  /**
   * Sends signals to chains, at most 1,000: all of them or none.
   *
   * @throws `chain-not-active`, `chain-not-found`, `unknown-signal`, `too-many-signals`, `invalid-input`
   * @example
   * const payload = { by: "Grace" };
   * await client.signalChains({
   *   items: ids.map((id) => ({ id, typeName: "order.approve", signal: "approved", payload })),
   * });
   */
  readonly signalChains: SignalChains<E>;
  /**
   * Sends a signal to all steps of a type that wait for a topic, and for `keepMs` to those that begin to wait. A chain gets it once.
   *
   * @returns how many waiting steps it has reached
   * @throws `unknown-signal`, `invalid-input`
   * @example
   * await client.publishSignal({
   *   topic: `parcel ${parcelId}`,
   *   typeName: "order.approve",
   *   signal: "approved",
   *   payload: { by: "the warehouse" },
   *   keepMs: 24 * 3_600_000,
   * });
   */
  readonly publishSignal: PublishSignal<E>;
  /**
   * Lists the signals of a chain in the order in which they came, those that no step has taken included.
   *
   * @example
   * const { items } = await client.listSignals({ id });
   * const unused = items.filter(({ takenBy }) => takenBy === undefined);
   */
  listSignals(options: ListSignalsOptions & InTransaction<E["tx"]>): Promise<Page<StoredSignalInfo>>;
};

/**
 * The options of `listSignals`.
 *
 * @example
 * const options: ListSignalsOptions = { id, limit: 50 };
 * const { items, nextCursor } = await client.listSignals(options);
 */
export interface ListSignalsOptions extends ByChainId, PageOptions {}

/**
 * The call `signalChain` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const signalChain: SignalChain<AppEnv> = client.signalChain;
 */
export type SignalChain<in out E extends AnyEnv> = {
  <const Name extends E["names"], Of extends Computed<unknown> = Computed<SignalFor<E["types"], Name>>>(
    options: ByChainId & { readonly typeName: Name } & NoInfer<TypeIn<Of, Name>> & InTransaction<E["tx"]>,
  ): Promise<SignalResult>;
};

/**
 * The call `signalChains` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const signalChains: SignalChains<AppEnv> = client.signalChains;
 */
export type SignalChains<in out E extends AnyEnv> = {
  <const Names extends readonly E["names"][]>(
    options: {
      readonly items: {
        readonly [Place in keyof Names]: ByChainId & { readonly typeName: Names[Place] } & SignalFor<
            E["types"],
            Names[Place]
          >;
      };
    } & InTransaction<E["tx"]>,
  ): Promise<{ readonly [Place in keyof Names]: SignalResult }>;
};

/**
 * The call `publishSignal` of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const publishSignal: PublishSignal<AppEnv> = client.publishSignal;
 */
export type PublishSignal<in out E extends AnyEnv> = {
  <const Name extends E["names"], Of extends Computed<unknown> = Computed<SignalFor<E["types"], Name>>>(
    options: PublishOptions & { readonly typeName: Name } & NoInfer<TypeIn<Of, Name>> & InTransaction<E["tx"]>,
  ): Promise<PublishResult>;
};

/** What became of a signal. */
export interface SignalResult {
  /** `taken` by a step that waits; `buffered` for the next one; `deduplicated`: the chain has a signal with its id already. */
  readonly delivered: "taken" | "buffered" | "deduplicated";
}

/** What became of a publication. */
export interface PublishResult {
  /** How many steps that waited have taken it. */
  readonly reached: number;
}

/**
 * Where a publication goes.
 *
 * @example
 * const shipped: PublishOptions = { topic: `parcel ${parcelId}`, keepMs: 24 * 3_600_000 };
 */
export interface PublishOptions {
  readonly topic: string;
  /** How long it reaches steps that begin to wait after the call; 0: not at all. */
  readonly keepMs: number;
}

type SignalFor<Types, Name extends PropertyKey> = At<SignalsFor<Types>, Name>;

type SignalsFor<Types> = {
  [Name in keyof Types]: [SignalsTo<Types>[Name]] extends [never] ? NoSignals<Name & string> : SignalsTo<Types>[Name];
};

/** Replaces the signals of a type that has none. */
interface NoSignals<in out Name extends string> {
  readonly signal: Refused<`'${Name}' has no signals; declare signals to send one`>;
  readonly [option: string]: unknown;
}
