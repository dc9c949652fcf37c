import type { ChainId } from "../model/ids.ts";
import type { OnBlockerFailure } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { AcceptingName } from "./accepting-name.ts";
import type { BlockerNames } from "./blocker-names.ts";
import type { StoppedOption } from "./compensation.ts";
import type { InputOf, PlainDefinition, SignalledDefinition } from "./job-type-lookups.ts";
import type { ScheduleOption } from "./schedule-option.ts";
import type { SignalNames, WaitingOptions } from "./signals.ts";
import type { At } from "./table.ts";

/*
 * The shapes below share their options by bases without type parameters: a base with type parameters is instantiated with each of
 * the thousands of types made from it.
 */

/** The options of a step of any type. */
export interface StepOptions {
  /** When it becomes due. Default: at once. */
  readonly schedule?: ScheduleOption | undefined;
  /** Higher is claimed first. From -32,768 to 32,767. Default: inherited. */
  readonly priority?: number | undefined;
  /** Only workers that serve this pool run it; null: those that serve jobs without a pool. Default: inherited. */
  readonly pool?: string | null | undefined;
}

/** The options of a start of any type. */
export interface StartOptions extends StepOptions {
  /** A UUID to use as the chain's id. */
  readonly id?: string | undefined;
  /** One chain for all starts with the same key. */
  readonly deduplication?: DeduplicationOption | undefined;
  /** One chain for starts with the same key that come soon after each other, with the input of the last one. */
  readonly debounce?: DebounceOption | undefined;
  /** At most one chain in a time for starts with the same key. */
  readonly throttle?: ThrottleOption | undefined;
  /**
   * Names with values by which the chain is found later, such as `{ orderId: "42" }`: at most 8, with names of up to 100 bytes and values
   * of up to 500. They stay the same for the life of the chain.
   */
  readonly tags?: Tags | undefined;
  /**
   * When the chain is cancelled if it is still active, with the reason `deadline`. A chain that ends earlier is untouched; a retry goes on
   * without a deadline.
   */
  readonly deadline?: ScheduleOption | undefined;
}

/** The options of a job with blockers. */
export interface BlockedOptions {
  /** Whether the job fails when a blocker fails or is cancelled (the default), or waits for the blocker's retry. */
  readonly onBlockerFailure?: OnBlockerFailure | undefined;
}

/** The next step of a chain. */
export interface NextStep<out Name, out Input> extends StepOptions {
  readonly typeName: Name;
  readonly input: Input;
}

/** The next step of a chain, which waits for other chains first. */
export interface BlockedNextStep<out Name, out Input, out Blockers> extends StepOptions, BlockedOptions {
  readonly typeName: Name;
  readonly input: Input;
  /** The chains that must complete first, in the order in which the type declares them: started already, or starts written inline. */
  readonly blockers: Blockers;
}

/** A chain that was started: the result of a start, or its id and type. */
export interface ChainRef<out Name> {
  readonly id: ChainId;
  readonly typeName: Name;
}

/** A chain to start. */
export interface ChainStart<out Name, out Input> extends StartOptions {
  readonly typeName: Name;
  readonly input: Input;
}

/** A chain to start whose first job waits for other chains first. */
export interface BlockedChainStart<out Name, out Input, out Blockers> extends StartOptions, BlockedOptions {
  readonly typeName: Name;
  readonly input: Input;
  /** The chains that must complete first, in the order in which the type declares them: started already, or starts written inline. */
  readonly blockers: Blockers;
}

/** The next step of a chain, which waits for signals. */
export interface WaitingNextStep<out Name, out Input, in out Signal extends PropertyKey>
  extends StepOptions, WaitingOptions<Signal> {
  readonly typeName: Name;
  readonly input: Input;
  /** It waits from its start. */
  readonly schedule?: undefined;
}

/** A chain to start whose first job waits for signals. */
export interface WaitingChainStart<out Name, out Input, in out Signal extends PropertyKey>
  extends StartOptions, WaitingOptions<Signal> {
  readonly typeName: Name;
  readonly input: Input;
  /** It waits from its start. */
  readonly schedule?: undefined;
  readonly debounce?: undefined;
  readonly throttle?: undefined;
}

/**
 * Makes a start return the existing chain instead of starting another one. Keys of different types are independent.
 *
 * @example
 * const daily: DeduplicationOption = { key: `digest ${to}`, scope: "any", windowMs: 24 * 3_600_000 };
 * const { deduplicated } = await client.startChain({ typeName: "mail.send", input: { to }, deduplication: daily });
 */
export interface DeduplicationOption {
  readonly key: string;
  /** Until the chain ends (`active`, the default), or also after its end (`any`). */
  readonly scope?: "active" | "any" | undefined;
  /** At most this long, counted from the start. */
  readonly windowMs?: number | undefined;
}

/**
 * Makes a start wait for further starts with the same key, which replace its input. The chain runs when there was none for `quietMs`,
 * and is never due later than `maxWaitMs` after the first start. It runs with the input, the version, the priority and the pool of the
 * last start; its id and tags are those of the first one. A start that comes when a worker has claimed the chain begins a new one.
 * Excludes `schedule` and blockers.
 *
 * @example
 * const quiet: DebounceOption = { key: to, quietMs: 60_000, maxWaitMs: 900_000 };
 * await client.startChain({ typeName: "mail.send", input: { to }, debounce: quiet });
 */
export interface DebounceOption {
  readonly key: string;
  /** How long no further start must come. Above 0. */
  readonly quietMs: number;
  /** How long the first start waits at most. At least `quietMs`. */
  readonly maxWaitMs: number;
}

/**
 * Makes starts with the same key run at most once in `perMs`. Without `last` further starts return the chain that was started. With it,
 * the last of them runs as well: when the time has passed, as a chain of its own. `last` excludes `schedule` and blockers.
 *
 * @example
 * const hourly: ThrottleOption = { key: to, perMs: 3_600_000, last: true };
 * await client.startChain({ typeName: "mail.send", input: { to }, throttle: hourly });
 */
export interface ThrottleOption {
  readonly key: string;
  /** Above 0. */
  readonly perMs: number;
  /** Whether one more chain runs at the end of the time, with the input of the last start in it. Default: false. */
  readonly last?: boolean | undefined;
}

/** The allowed next steps, for names and structural targets: one of them gives a plain object type, several a union. */
export type StepTo<Types, Target> = Target extends PropertyKey
  ? At<Steps<Types>, Target>
  : Target extends { readonly input: infer Shape }
    ? At<Steps<Types>, AcceptingName<Types, Shape>>
    : Target extends readonly (infer Item)[]
      ? StepTo<Types, Item>
      : never;

/* A table, so that the compiler computes a step once, even if several types continue to it. */
type Steps<Types> = { [Name in keyof Types]: StepOf<Types, Name, Types[Name]> };

type StepOf<Types, Name, Def> = Def extends PlainDefinition
  ? NextStep<Name, Def["input"]>
  : Def extends SignalledDefinition
    ? WaitingNextStep<Name, Def["input"], keyof Def["signals"]>
    : "blockers" extends keyof Def
      ? BlockedNextStep<Name, InputOf<Def>, BlockersOption<Types, Def["blockers"]>>
      : NextStep<Name, InputOf<Def>>;

/** The starts of chains, by type. */
export type Starts<Types> = {
  [Name in keyof Types]: Types[Name] extends PlainDefinition
    ? ChainStart<Name, InputOf<Types[Name]>>
    : "whenStopped" extends keyof Types[Name]
      ? StartsAlone<Types>[Name] & StoppedOption<Types[Name]>
      : StartsAlone<Types>[Name];
};

type StartsAlone<Types> = {
  [Name in keyof Types]: "signals" extends keyof Types[Name]
    ? WaitingChainStart<Name, InputOf<Types[Name]>, SignalNames<Types[Name]>>
    : "blockers" extends keyof Types[Name]
      ? BlockedChainStart<Name, InputOf<Types[Name]>, BlockersOption<Types, Types[Name]["blockers"]>>
      : ChainStart<Name, InputOf<Types[Name]>>;
};

/** The declared blockers as the tuple of chains to pass for them. */
export type BlockersOption<Types, Declared> = BlockersInPlace<Types, BlockerNames<Declared>>;

type BlockersInPlace<Types, Names> = {
  readonly [Place in keyof Names]: At<Blockers<Types>, Names[Place] & PropertyKey>;
};

/** A chain that was started, or a start to be made with the job that it blocks. */
type Blockers<Types> = { [Name in keyof Types]: ChainRef<Name> | Starts<Types>[Name] };
