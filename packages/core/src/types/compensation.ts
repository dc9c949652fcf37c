import type { InputOf } from "./job-type-lookups.ts";
import type { At } from "./table.ts";

/*
 * What the types of a chain say about its end: `whenStopped` of an entry, and `compensate` of a step. Types without them are not
 * looked at further.
 */

/** What undoes a step: the first job of a chain that starts if the step's chain fails or is cancelled. */
export interface CompensationStart<out Name, out Input> {
  readonly typeName: Name;
  readonly input: Input;
  /** Higher is claimed first. From -32,768 to 32,767. Default: that of the step. */
  readonly priority?: number | undefined;
  /** Only workers that serve this pool run it; null: those that serve jobs without a pool. Default: that of the step. */
  readonly pool?: string | null | undefined;
}

/** The compensations of a type, as a call takes them. */
export type CompensationOf<Types, Def> = At<Compensations<Types>, NamesOf<Def["compensate" & keyof Def]> & PropertyKey>;

type NamesOf<Names> = Names extends readonly (infer Name)[] ? Name : Names;

type Compensations<Types> = {
  [Name in keyof Types]: CompensationStart<Name, InputOf<Types[Name]>> & StoppedOption<Types[Name]>;
};

/** A continuation of a step that may say what undoes that step. */
export interface Compensating<out Compensation> {
  /** What undoes the step that continues, if the chain fails or is cancelled later. It replaces what `compensateWith` recorded. */
  readonly compensate?: Compensation | undefined;
}

/** Part of the context of handlers whose type declares a `compensate`. */
export interface CompensatingContext<in Compensation> {
  /**
   * Records what undoes this step, before its effect: durable when it resolves, so that it covers an attempt that dies. It replaces what the
   * step recorded before. It runs if the chain fails or is cancelled, after the attempt has ended.
   *
   * @throws `lease-lost`, `cancelled` or `completed-elsewhere` if the job is no longer this attempt's: then nothing is recorded
   */
  compensateWith(compensation: Compensation): Promise<void>;
}

/** The `whenStopped` of a start: the one name that the type declares. With schemas it may be left out. */
export type StoppedOption<Def> = "whenStopped" extends keyof Def
  ? "reads" extends keyof Def
    ? Partial<WhenStopped<Def["whenStopped"]>>
    : WhenStopped<Def["whenStopped"]>
  : unknown;

interface WhenStopped<out Name> {
  /** The chain that runs if this one fails or is cancelled, after all of its compensations. */
  readonly whenStopped: Name;
}

/** What a type adds to the context of its handler. */
export type CompensatesIn<Types, Def> = "compensate" extends keyof Def
  ? CompensatingContext<CompensationOf<Types, Def>>
  : unknown;
