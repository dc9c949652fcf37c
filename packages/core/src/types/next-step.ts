import type { ChainId } from "../model/ids.ts";
import type { OnBlockerFailure } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { AcceptingName } from "./accepting-name.ts";
import type { BlockerNames } from "./blocker-names.ts";
import type { InputOf } from "./job-type-lookups.ts";
import type { At } from "./table.ts";

/**
 * When a job becomes due. Without it: at once.
 *
 * @example
 * const inAnHour: ScheduleOption = { afterMs: 3_600_000 };
 * const atNine: ScheduleOption = { at: new Date("2030-01-01T09:00:00Z") };
 * await client.startChain({ typeName: "reminder.send", input: { to }, schedule: inAnHour });
 */
export type ScheduleOption = ScheduleAt | ScheduleAfter;

/** At this time, by the store's clock. */
export interface ScheduleAt {
  readonly at: Date;
}

/** This long from now. */
export interface ScheduleAfter {
  readonly afterMs: number;
}

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
  /**
   * Names with values by which the chain is found later, such as `{ orderId: "42" }`: at most 8, with names of up to 100 bytes and values
   * of up to 500. They stay the same for the life of the chain.
   */
  readonly tags?: Tags | undefined;
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

/** The allowed next steps, for names and structural targets: one of them gives a plain object type, several a union. */
export type StepTo<Types, Target> = Target extends PropertyKey
  ? At<Steps<Types>, Target>
  : Target extends { readonly input: infer Shape }
    ? At<Steps<Types>, AcceptingName<Types, Shape>>
    : Target extends readonly (infer Item)[]
      ? StepTo<Types, Item>
      : never;

/* A table, so that the compiler computes a step once, even if several types continue to it. */
type Steps<Types> = {
  [Name in keyof Types]: "blockers" extends keyof Types[Name]
    ? BlockedNextStep<Name, InputOf<Types[Name]>, BlockersOption<Types, Types[Name]["blockers"]>>
    : NextStep<Name, InputOf<Types[Name]>>;
};

/** The starts of chains, by type. */
export type Starts<Types> = {
  [Name in keyof Types]: "blockers" extends keyof Types[Name]
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
