import type { JobStart } from "../model/job-start.ts";
import type { ChainStatus } from "../model/status.ts";
import type { StartedJob } from "./reply.ts";

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
}
