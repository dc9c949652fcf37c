import type { JobStart } from "../model/job-start.ts";
import type { ChainStatus } from "../model/status.ts";
import type { StartedJob, WaitingJob } from "./reply.ts";
import type { SignalReply } from "./signal.ts";

/** The chains of one call: all of them start, or none. */
export interface StartCall {
  readonly starts: readonly JobStart[];
}

/** A chain that was started, or that existed already. */
export interface StartReply {
  /** The id of the new chain, or of the chain that holds the deduplication key. */
  readonly id: string;
  readonly deduplicated: boolean;
  readonly status: ChainStatus;
  /** JSON text; for a deduplicated start the input of the existing chain. */
  readonly input: string;
  /** The version of the type that this input has. */
  readonly version: number;
  readonly createdAt: number;
  /** Every job that was written: the chain's first one, and those of blockers started with it. Empty when deduplicated. */
  readonly jobs: readonly StartedJob[];
  /**
   * With `signals`: the result for each. A new chain has them before its first job begins to wait: if they end that wait, the job is
   * `ready` among `jobs`, and `woken` is empty.
   */
  readonly signalled?: readonly SignalReply[] | undefined;
  /** With `debounce` and `throttle`: the job whose input the start has replaced. Then the chain's input is that of the start. */
  readonly replaced?: ReplacedInput | undefined;
}

/** A job that waits, with the input of a later start. */
export interface ReplacedInput extends WaitingJob {
  /** Milliseconds from now until it is due. Undefined: it is ready. */
  readonly dueInMs: number | undefined;
  /** Whether workers have to hear of it: it is due earlier than before, or workers claim it under another name. */
  readonly isAnnounced: boolean;
}
