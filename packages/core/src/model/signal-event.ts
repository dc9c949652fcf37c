import type { ChainId, JobId } from "./ids.ts";

/** A fact about a signal or a wait. Raised after the commit that made it true. */
export type SignalEvent =
  | {
      /** A waiting job has taken a signal. */
      readonly type: "signal-received";
      readonly chainId: ChainId;
      readonly typeName: string;
      readonly signal: string;
      readonly signalId: string | undefined;
      /** The job whose wait it ended. Undefined: the job waits for more. */
      readonly wokeJobId: JobId | undefined;
      /** The name under which workers claim that job, where that is not its type. */
      readonly claimName?: string | undefined;
    }
  | {
      /** A chain keeps a signal for a job that waits later. */
      readonly type: "signal-buffered";
      readonly chainId: ChainId;
      readonly typeName: string;
      readonly signal: string;
      readonly signalId: string | undefined;
    }
  | {
      /** A chain has ended with signals that no job has taken. */
      readonly type: "signal-unused";
      readonly chainId: ChainId;
      readonly count: number;
    }
  | {
      /** The time of a wait was over before the signals came that it was for, and a worker has begun to run the job. */
      readonly type: "wait-timed-out";
      readonly jobId: JobId;
      readonly chainId: ChainId;
      readonly typeName: string;
      readonly workerId: string;
      /** From 1. */
      readonly attempt: number;
    };
