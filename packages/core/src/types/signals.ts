import type { JobId } from "../model/ids.ts";
import type { AttemptedJob } from "./job.ts";
import type { ScheduleOption } from "./schedule-option.ts";

/**
 * Until when a step waits for its signals: a moment, a time from now, or `"forever"`. After that its handler runs without one.
 *
 * @example
 * const week: WaitUntil = { afterMs: 7 * 24 * 3_600_000 };
 */
export type WaitUntil = ScheduleOption | "forever";

/**
 * What a step with signals waits for.
 *
 * @example
 * const twoApprovals: WaitingOptions<"approved" | "rejected"> = { waitUntil: "forever", collect: { approved: 2 } };
 */
export interface WaitingOptions<in out Signal extends PropertyKey> {
  /** Until when it waits. A time in the past: it takes the signals that are there, and runs at once. */
  readonly waitUntil: WaitUntil;
  /**
   * How many signals of a name end the wait; one where a name is missing. `{ approved: 2 }` waits for two approvals, or for one signal
   * of another name.
   */
  readonly collect?: { readonly [Name in Signal]?: number | undefined } | undefined;
  /** Topics whose publications reach it, each once. See `publishSignal`. */
  readonly topics?: readonly string[] | undefined;
}

/** The names of the signals of a job type. */
export type SignalNames<Def> = keyof Def["signals" & keyof Def];

/**
 * A signal as a handler gets it: a union that `signal` narrows. `Signals` are those of the job type; `Name` leaves some of them out.
 *
 * @example
 * type Approvals = { approved: { by: string }; rejected: { reason: string } };
 * const approver = ({ payload }: Received<Approvals, "approved">) => payload.by;
 * const headline = (received: Received<Approvals>) =>
 *   received.signal === "approved" ? `approved by ${approver(received)}` : `rejected: ${received.payload.reason}`;
 */
/* An object written in place: an interface with the name and the payload as arguments would cost three instantiations more each. */
export type Received<Signals, Name extends keyof Signals = keyof Signals> = Name extends unknown
  ? {
      readonly signal: Name;
      readonly payload: Signals[Name];
      /** When it was sent. */
      readonly at: Date;
      readonly signalId: string | undefined;
    }
  : never;

/**
 * The job of a step with signals, as its handler gets it. `Signals` are those of its type.
 *
 * @example
 * type Approvals = { approved: { by: string }; rejected: { reason: string } };
 * const approvers = ({ receivedAll }: SignalledJob<"order.approve", { orderId: string }, Approvals>) =>
 *   receivedAll.flatMap((received) => (received.signal === "approved" ? received.payload.by : []));
 */
export interface SignalledJob<out Name, out Input, in out Signals> extends AttemptedJob {
  readonly typeName: Name;
  readonly input: Input;
  /** A step with signals waits for no chains. */
  readonly blockers: readonly [];
  /** The signal that ended the wait. Undefined: its time was over. Every attempt gets the same. */
  readonly received: Received<Signals> | undefined;
  /** All signals that the wait has taken, in the order in which they came. */
  readonly receivedAll: readonly Received<Signals>[];
}

/** A signal for a job type, without the chain. */
export interface SignalTo<out Name, out Signal, out Payload> {
  /** The type of the step that takes it. */
  readonly typeName: Name;
  readonly signal: Signal;
  readonly payload: Payload;
  /** A chain takes no other signal with the same id, such as the id of a webhook's delivery. */
  readonly signalId?: string | undefined;
}

/** The signals that each job type takes: a union for a type with several. */
export type SignalsTo<Types> = {
  [Name in keyof Types]: "signals" extends keyof Types[Name] ? SignalsOf<Name, Types[Name]["signals"]> : never;
};

type SignalsOf<Type, Signals> = { [Name in keyof Signals]: SignalTo<Type, Name, Signals[Name]> }[keyof Signals];

/** A signal that a chain has on record. */
export interface StoredSignalInfo {
  /** From 1: its place among the signals of the chain. */
  readonly position: number;
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
  readonly signalId: string | undefined;
  readonly at: Date;
  /** The job that took it. Undefined: it waits for a step of its type, or the chain has ended without one. */
  readonly takenBy: JobId | undefined;
}
