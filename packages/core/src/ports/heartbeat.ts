import type { CountedAttempts } from "./history.ts";
import type { PausedType } from "./pause.ts";

/** A report of a worker that it is alive. */
export interface Heartbeat {
  readonly workerId: string;
  readonly name: string;
  readonly typeNames: readonly string[];
  readonly concurrency: number;
  readonly holds: number;
  /** The version of the package that it runs. */
  readonly packageVersion?: string | undefined;
  /** The number that the application gave its code. */
  readonly codeVersion?: number | undefined;
  /** The newest version that it reads, by type; types that are not named have one version. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
  /** The pools that it serves; null: jobs without a pool. Undefined: only those. */
  readonly pools?: readonly (string | null)[] | undefined;
  /** What it has counted since its last report; a store adds it to its history, see `StateAdapter.readHistory`. Undefined: nothing. */
  readonly counted?: readonly CountedAttempts[] | undefined;
  /** How long the report is valid. 0: the worker is gone. */
  readonly aliveForMs: number;
}

/** What a worker learns with its heartbeat. */
export interface HeartbeatReply {
  /** All job types that are paused. The worker may leave them out of its claims. */
  readonly paused: readonly PausedType[];
  /** Whether a job under a limit waits: then claims have to look for them, see `Claim.limited`. Undefined: no. */
  readonly limited?: boolean | undefined;
  /**
   * Milliseconds until the next tick of a schedule that is not paused; 0 if one is due. Undefined: no schedule will tick.
   */
  readonly nextTickInMs?: number | undefined;
  /** Whether an active chain has a deadline: then claims have to look for them, see `Claim.deadlines`. Undefined: no. */
  readonly deadlines?: boolean | undefined;
}
