import type { Schedule } from "./schedule.ts";

/**
 * A chain has at most this many signals that no job has taken.
 *
 * @example
 * const isFull = (untaken: number): boolean => untaken >= mostBufferedSignals;
 */
export const mostBufferedSignals = 10_000;

/** What a job waits for before it can run. */
export interface JobWait {
  /** When it stops waiting. Undefined: only signals end the wait. */
  readonly until: Schedule | undefined;
  /**
   * How many signals of a name end the wait; one where a name is missing. The wait ends as soon as so many of one name have been
   * taken. Undefined: the first signal of any name ends it. Integers from 1 to 1000.
   */
  readonly collect?: Readonly<Record<string, number>> | undefined;
  /** Topics whose publications reach it, each once. Undefined: none. */
  readonly topics?: readonly string[] | undefined;
}

/** A signal, as it is sent. */
export interface SentSignal {
  /** The type of the jobs that take it. */
  readonly typeName: string;
  /** Its name. */
  readonly signal: string;
  /** JSON text. */
  readonly payload: string;
  /** A chain takes no other signal with the same id, ever. Undefined: it has none. */
  readonly signalId: string | undefined;
  /** Opaque text of an observer (a trace context), returned with the claim. */
  readonly context: string | undefined;
}

/** A signal that a job has taken. */
export interface ReceivedSignal {
  readonly signal: string;
  /** JSON text. */
  readonly payload: string;
  /** When it was sent, by the store's clock. */
  readonly at: number;
  readonly signalId: string | undefined;
  readonly context: string | undefined;
}

/**
 * The signal that ended a wait: the last one that it has taken, if so many of its name were asked for. Undefined: no signal has, so
 * that the job still waits, or its time is over.
 *
 * @example
 * const isWaiting = (received: readonly ReceivedSignal[]) => endedBy(received, { approved: 2 }) === undefined;
 */
export function endedBy(received: readonly ReceivedSignal[], collect: JobWait["collect"]): ReceivedSignal | undefined {
  const last = received.at(-1);
  if (last === undefined || collect === undefined || !Object.hasOwn(collect, last.signal)) return last;
  const asked = collect[last.signal] ?? 1;
  return asked === 1 || received.filter(({ signal }) => signal === last.signal).length >= asked ? last : undefined;
}

/** A signal that is stored with a chain. */
export interface SignalRecord extends ReceivedSignal {
  readonly chainId: string;
  /** From 1: its place among the signals of the chain. Places may be missing. */
  readonly position: number;
  readonly typeName: string;
  /** The id of the job that took it. Undefined: none has. */
  readonly takenBy: string | undefined;
}

/** What a waiting job waits for, as a store returns it. */
export interface WaitRecord {
  /** When it stops waiting. Undefined: only signals end the wait. */
  readonly until: number | undefined;
  readonly collect: Readonly<Record<string, number>> | undefined;
  readonly topics: readonly string[] | undefined;
}

/** What a job has taken with a signal that arrived at a moment. */
export interface Received {
  readonly at: number;
  readonly received: readonly ReceivedSignal[];
}
