import type { Received, ReceivedSignal, SentSignal, WaitRecord } from "../model/signal.ts";

/** What the rules need of a store for signals: small synchronous reads and writes that decide nothing. */
export interface SignalRows<Job, Chain> {
  /** What a job waits for, or has waited for. Undefined: it was written without a wait. */
  waitOf(job: Job): JobWaiting | undefined;
  /** Whether a chain has a signal with an id on record. Undefined: it has none. */
  hasSignal(chain: Chain, signalId: string | undefined): boolean;
  /** How many signals of a chain no job has taken. */
  countUntaken(chain: Chain): number;
  /** The signals of a chain for a job type that no job has taken, in the order of their positions. */
  untaken(chain: Chain, typeName: string): Iterable<StoredSignal>;
  /** The jobs of a type that wait for a topic, in the order of their ids. */
  waitersOf(topic: string, typeName: string): readonly Job[];
  /** What is kept for a topic and a job type until later than `now`, in the order in which it was published. */
  keptFor(topic: string, typeName: string, now: number): readonly Publication[];

  /** Stores a signal behind the others of a chain, and returns its position; undefined, and nothing is written, if its id is on record. */
  addSignal(chain: Chain, signal: SentSignal, at: number): number | undefined;
  /**
   * Stores a signal behind the others of a chain, whose waiting job takes it, and all that the job has taken with it. False, and nothing
   * is written, if its id is on record.
   */
  receive(job: Job, chain: Chain, signal: SentSignal, taken: Received): boolean;
  /** Notes that a job took signals of its chain, and all that the job has taken so far. */
  take(job: Job, positions: readonly number[], received: readonly ReceivedSignal[]): void;
  /** Keeps a publication for jobs that begin to wait for its topic, until a moment. */
  keep(topic: string, publication: Publication, until: number): void;
}

/** What a job waits for, or has waited for. */
export interface JobWaiting extends WaitRecord {
  /** Whether it waits: no signal has ended its wait, and it has not been made ready because its time was over. */
  readonly isWaiting: boolean;
  readonly received: readonly ReceivedSignal[];
}

/** A signal that no job has taken. */
export interface StoredSignal extends ReceivedSignal {
  readonly position: number;
}

/** A signal that was sent to a topic. */
export interface Publication extends SentSignal {
  readonly signalId: string;
  /** When it was published. */
  readonly at: number;
}
