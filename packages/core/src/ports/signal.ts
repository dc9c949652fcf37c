import type { SentSignal } from "../model/signal.ts";
import type { WaitingJob } from "./reply.ts";

/** A signal for a chain, or for all that waits for a topic. */
export type SignalItem = SentSignal &
  (
    | { readonly chainId: string }
    | {
        readonly topic: string;
        /** How long it reaches jobs that begin to wait for the topic after it was published. 0: not at all. */
        readonly keepMs: number;
        /** Names the publication, so that each chain gets it once: the engine makes one where the caller gives none. */
        readonly signalId: string;
      }
  );

/** `taken` by the job that waits; `buffered` for one that waits later; `deduplicated`: the chain has a signal with its id already. */
export type Delivery = "taken" | "buffered" | "deduplicated";

/** The effects of a signal. */
export interface SignalReply {
  /** Of a signal for a topic: `taken`, also if no job waits for the topic. */
  readonly delivered: Delivery;
  /** The jobs whose wait it ended. They are ready. */
  readonly woken: readonly WaitingJob[];
  /** Of a signal for a topic: how many waiting jobs took it. */
  readonly reached?: number | undefined;
}

/** Selects signals of a chain. */
export interface SignalQuery {
  readonly chainId: string;
  /** Only signals behind this position. Undefined: from the first one on. */
  readonly after: number | undefined;
  readonly limit: number;
}
