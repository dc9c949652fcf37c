import type { AttemptError } from "../model/attempt-error.ts";
import type { FollowUpKind } from "../model/follow-up.ts";
import type { ChainId } from "../model/ids.ts";
import type { BlockerCounts } from "../model/record.ts";
import type { ChainStatus } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { BlockerNames } from "./blocker-names.ts";
import type { ChainOutput } from "./chain-output.ts";
import type { AnyEnv } from "./env.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { StoredForm } from "./stored-form.ts";
import type { At, Shown } from "./table.ts";
import type { Found, UndeclaredName } from "./undeclared.ts";

/**
 * A chain as it is stored. `status` is one of four kinds.
 *
 * @example
 * const headline = ({ typeName, status, createdAt }: Chain) => `${typeName}, ${status}, of ${createdAt.toISOString()}`;
 * const chain = await client.getChain({ id, typeName: "order.place" });
 * if (chain !== undefined) console.log(headline(chain));
 * if (chain?.status === "completed") console.log(chain.output.receipt);
 */
export type Chain<Name = string, Input = unknown, Output = unknown> =
  | ActiveChain<Name, Input>
  | CompletedChain<Name, Input, Output>
  | FailedChain<Name, Input>
  | CancelledChain<Name, Input>;

/** What chains of all types have. Bases without type parameters are instantiated once for all types. */
export interface FoundBy extends StoredForm {
  /** As given at the start; empty without any. */
  readonly tags: Tags;
  /** As given at the start, whether or not the chain holds it. */
  readonly deduplicationKey: string | undefined;
  /**
   * The chains that its failure or its cancellation has started, in the order in which they run: those of its compensations, then that of
   * its `whenStopped`. Empty: none.
   */
  readonly compensations: readonly ChainCompensation[];
  /** While it is active: when it is cancelled. */
  readonly deadlineAt: Date | undefined;
}

/** A chain that runs because another one has failed or was cancelled. */
export interface ChainCompensation {
  readonly id: ChainId;
  readonly typeName: string;
  readonly kind: FollowUpKind;
  readonly status: ChainStatus;
}

/** A chain that has not ended: one of its jobs is not completed. */
export interface ActiveChain<out Name, out Input> extends FoundBy {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly status: "active";
  readonly input: Input;
  readonly createdAt: Date;
  /** Set by `getChain` while its newest job waits for other chains. */
  readonly blockers?: BlockerCounts | undefined;
  readonly output?: undefined;
  readonly error?: undefined;
  readonly reason?: undefined;
  readonly endedAt?: undefined;
}

/** A chain whose last job completed. */
export interface CompletedChain<out Name, out Input, out Output> extends FoundBy {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly status: "completed";
  readonly input: Input;
  /** Its last job's output. */
  readonly output: Output;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly blockers?: undefined;
  readonly error?: undefined;
  readonly reason?: undefined;
}

/** A completed chain as the handler of a job that waited for it sees it. */
export interface CompletedBlocker<out Name, out Input, out Output> {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly status: "completed";
  readonly input: Input;
  /** Its last job's output. */
  readonly output: Output;
  readonly createdAt: Date;
  readonly endedAt: Date;
}

/** A chain whose last job used all its attempts, or threw a `FatalError`. `retryChain` resumes it. */
export interface FailedChain<out Name, out Input> extends FoundBy {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly status: "failed";
  readonly input: Input;
  /** The error of the last attempt. */
  readonly error: AttemptError;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly blockers?: undefined;
  readonly output?: undefined;
  readonly reason?: undefined;
}

/** A chain that `cancelChain` ended. `retryChain` resumes it. */
export interface CancelledChain<out Name, out Input> extends FoundBy {
  readonly id: ChainId;
  /** The entry type it was started with. */
  readonly typeName: Name;
  readonly status: "cancelled";
  readonly input: Input;
  /** As given to `cancelChain`. */
  readonly reason: string | undefined;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly blockers?: undefined;
  readonly output?: undefined;
  readonly error?: undefined;
}

/** The result of a start. It can be passed as a blocker, and to `awaitChain`. */
export interface StartedChain<out Name, out Input> {
  readonly id: ChainId;
  readonly typeName: Name;
  /** Other than `active` only when a deduplicated start found a chain that has ended. */
  readonly status: ChainStatus;
  /** After a deduplicated start: the input of the existing chain. */
  readonly input: Input;
  readonly createdAt: Date;
  /** Whether a chain with the same deduplication key already existed, so that nothing was started. */
  readonly deduplicated: boolean;
}

/**
 * A chain of a type that the client does not declare: it was started by an older release, or by another application that uses the same
 * store. Reads without a `typeName` return these as well.
 *
 * @example
 * const report = ({ typeName, input }: UndeclaredChain) => logger.warn({ typeName, input });
 * for (const chain of (await client.listChains({ status: "failed" })).items) {
 *   switch (chain.typeName) {
 *     case "order.place":
 *     case "order.charge":
 *     case "mail.send":
 *     case "reminder.send":
 *     case "stock.reserve":
 *       break;
 *     default:
 *       report(chain);
 *   }
 * }
 */
export type UndeclaredChain = Chain<UndeclaredName>;

/** A completed chain of a type that the client does not declare. */
export type UndeclaredCompletedChain = CompletedChain<UndeclaredName, unknown, unknown>;

/** The chains that a read returns: a union that `typeName` narrows. */
export type ChainOf<E extends AnyEnv, Name extends PropertyKey> = Found<
  Chains<E["types"]>,
  E["entries"],
  Name,
  UndeclaredChain
>;

/** The completed chains that a wait returns. */
export type CompletedChainOf<E extends AnyEnv, Name extends PropertyKey> = Found<
  CompletedChains<E["types"]>,
  E["entries"],
  Name,
  UndeclaredCompletedChain
>;

/** The result of a start of some entry types. */
export type StartedChainOf<Types, Name extends PropertyKey> = Shown<StartedChains<Types>, Name>;

/* Tables, so that the compiler computes the chains of a type once. */
type Chains<Types> = { [Name in keyof Types]: Chain<Name, InputOf<Types[Name]>, ChainOutput<Types, Name>> };
type StartedChains<Types> = { [Name in keyof Types]: StartedChain<Name, InputOf<Types[Name]>> };
type CompletedChains<Types> = {
  [Name in keyof Types]: CompletedChain<Name, InputOf<Types[Name]>, ChainOutput<Types, Name>>;
};

type BlockersSeen<Types> = {
  [Name in keyof Types]: CompletedBlocker<Name, InputOf<Types[Name]>, ChainOutput<Types, Name>>;
};

/** The completed blockers that a handler sees, each in the place where the type declares it. */
export type CompletedBlockers<Types, Declared> = BlockersInPlace<Types, BlockerNames<Declared>>;

type BlockersInPlace<Types, Names> = {
  readonly [Place in keyof Names]: At<BlockersSeen<Types>, Names[Place] & PropertyKey>;
};
